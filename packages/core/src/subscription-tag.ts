import {
  type ListKind,
  notificationFrame,
  type RequestId,
  type ResourceChange,
  subscriptionIdJson,
  type TaskChange,
  type TraceContext,
} from '@listen-gateway/protocol';
import type { ListTraces } from './list-traces.ts';
import { LIST_BITS, type Outbox } from './outbox.ts';
import type { Chunk } from './sink.ts';

/**
 * A subscription id, shared by all streams that happen to use it, and the chunks encoded for it. Most hosts use a few
 * ids (`"listen:0"`, `"listen-1"`), so a change is encoded a few times and not once for each stream. Only bytes are
 * shared: nothing is looked up by an id, which is scoped to one host (P-1.6).
 */
export class SubscriptionTag {
  readonly idJson: string;
  streams = 0;
  readonly #lists: (Chunk | undefined)[] = [];
  /** By what all streams that are told the same share: a URI, or what has the trace in it. */
  readonly #passing = new Map<string | TaskChange | ResourceChange | ListTraces, Chunk>();

  constructor(idJson: string) {
    this.idJson = idJson;
  }

  /** One chunk with all that an outbox owes, in one write. */
  encode(outbox: Outbox): Chunk {
    const { listsOnly, uriOnly, taskOnly, listTraces } = outbox;
    if (listsOnly !== undefined) {
      return listTraces === undefined ? this.#listChunk(listsOnly) : this.#tracedLists(listsOnly, listTraces);
    }
    if (uriOnly !== undefined) return this.#uriChunk(uriOnly, outbox.tracedUri);
    if (taskOnly !== undefined) {
      return this.#passing.get(taskOnly) ?? this.#pass(taskOnly, notificationFrame(this.idJson, taskOnly));
    }
    const { lists, uris, tasks } = outbox.owed;
    const frames = [
      this.#listFrames(lists, listTraces),
      ...uris.map((uri) => this.#uriFrame(uri, outbox.traceOf(uri))),
      ...tasks.map((task) => notificationFrame(this.idJson, task)),
    ];
    return { text: frames.join('') };
  }

  /** Forgets the chunks that only one pass can share; the seven of the lists stay. */
  endPass(): void {
    if (this.#passing.size > 0) this.#passing.clear();
  }

  #listChunk(lists: number): Chunk {
    this.#lists[lists] ??= { text: this.#listFrames(lists) };
    return this.#lists[lists];
  }

  /** Shared where the traces are of all the lists owed, as they are unless traced and untraced changes come together. */
  #tracedLists(lists: number, traces: ListTraces): Chunk {
    if (lists !== traces.lists) return { text: this.#listFrames(lists, traces) };
    return this.#passing.get(traces) ?? this.#pass(traces, this.#listFrames(lists, traces));
  }

  #uriChunk(uri: string, traced: ResourceChange | undefined): Chunk {
    // Told of a URI above the one that changed (see SPARE_URIS); under the change is what those told of that one share.
    if (traced !== undefined && traced.uri !== uri) return { text: this.#uriFrame(uri, traced.trace) };
    const key = traced ?? uri;
    return this.#passing.get(key) ?? this.#pass(key, this.#uriFrame(uri, traced?.trace));
  }

  #pass(key: string | TaskChange | ResourceChange | ListTraces, text: string): Chunk {
    const chunk = { text };
    if (this.streams > 1) this.#passing.set(key, chunk);
    return chunk;
  }

  #uriFrame(uri: string, trace: TraceContext | undefined): string {
    return notificationFrame(this.idJson, { kind: 'resource', uri, ...(trace && { trace }) });
  }

  #listFrames(lists: number, traces?: ListTraces): string {
    const frame = (kind: ListKind): string => {
      const trace = traces?.of(kind);
      return lists & LIST_BITS[kind] ? notificationFrame(this.idJson, { kind, ...(trace && { trace }) }) : '';
    };
    return LIST_KINDS.map(frame).join('');
  }
}

const LIST_KINDS = Object.keys(LIST_BITS) as readonly ListKind[];

/** The tags in use on this instance. */
export class SubscriptionTags {
  readonly #tags = new Map<string, SubscriptionTag>();

  /** The tag of an id; each call is matched by one `release`. */
  claim(id: RequestId): SubscriptionTag {
    const idJson = subscriptionIdJson(id);
    let tag = this.#tags.get(idJson);
    if (tag === undefined) {
      tag = new SubscriptionTag(idJson);
      this.#tags.set(idJson, tag);
    }
    tag.streams += 1;
    return tag;
  }

  release(tag: SubscriptionTag): void {
    tag.streams -= 1;
    if (tag.streams === 0) this.#tags.delete(tag.idJson);
  }

  get size(): number {
    return this.#tags.size;
  }
}
