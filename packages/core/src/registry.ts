import type { Change, ServerId } from '@listen-gateway/protocol';
import { ListTraces } from './list-traces.ts';
import type { Stream } from './stream.ts';
import { StreamIndex } from './stream-index.ts';

/** How many streams owe a change from now on, and how many owed it already. */
export interface Marks {
  readonly owing: number;
  readonly coalesced: number;
}

/** The streams of this instance by server. */
export class Registry {
  readonly #indexes = new Map<ServerId, StreamIndex>();

  add(stream: Stream): void {
    let index = this.#indexes.get(stream.serverId);
    if (index === undefined) {
      index = new StreamIndex();
      this.#indexes.set(stream.serverId, index);
    }
    index.add(stream);
  }

  remove(stream: Stream): void {
    const index = this.#indexes.get(stream.serverId);
    index?.remove(stream);
    if (index?.all.size === 0) this.#indexes.delete(stream.serverId);
  }

  /** The streams of one server. */
  of(serverId: ServerId): ReadonlySet<Stream> {
    return this.#indexes.get(serverId)?.all ?? NONE;
  }

  /** Marks each stream that asked for a change as owing it, and calls `marked` for it. */
  mark(serverId: ServerId, change: Change, marked: (stream: Stream) => void): Marks {
    let owing = 0;
    let coalesced = 0;
    const { kind, trace } = change;
    const traces = trace && kind !== 'resource' && kind !== 'task' ? new ListTraces({ [kind]: trace }) : undefined;
    this.#indexes.get(serverId)?.match(change, (stream, subscribedUri) => {
      if (owe(stream, change, subscribedUri, traces)) owing += 1;
      else coalesced += 1;
      marked(stream);
    });
    return { owing, coalesced };
  }
}

const NONE: ReadonlySet<Stream> = new Set();

/** Under sub-resource matching a stream may be owed more URIs than it named; past this bound it is told of those it named. */
const SPARE_URIS = 64;

function owe(
  { honored, outbox }: Stream,
  change: Change,
  subscribedUri: string | undefined,
  traces: ListTraces | undefined,
): boolean {
  switch (change.kind) {
    case 'resource': {
      const bound = (honored.resourceSubscriptions?.length ?? 0) + SPARE_URIS;
      const exact = subscribedUri === undefined || outbox.owedUris < bound;
      return outbox.oweUri(exact ? change.uri : subscribedUri, change.trace === undefined ? undefined : change);
    }
    case 'task':
      return outbox.oweTask(change);
    default:
      return outbox.oweList(change.kind, traces);
  }
}
