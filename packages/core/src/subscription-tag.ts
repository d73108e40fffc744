import {
  type Change,
  type ListKind,
  notificationFrame,
  type RequestId,
  subscriptionIdJson,
  type TaskChange,
} from '@listen-gateway/protocol';
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
  readonly #passing = new Map<string | TaskChange, Chunk>();

  constructor(idJson: string) {
    this.idJson = idJson;
  }

  /** One chunk with all that an outbox owes, in one write. */
  encode(outbox: Outbox): Chunk {
    const { listsOnly, uriOnly, taskOnly } = outbox;
    if (listsOnly !== undefined) return this.#listChunk(listsOnly);
    if (uriOnly !== undefined) return this.#passed(uriOnly, { kind: 'resource', uri: uriOnly });
    if (taskOnly !== undefined) return this.#passed(taskOnly, taskOnly);
    const { lists, uris, tasks } = outbox.owed;
    const frames = [
      this.#listFrames(lists),
      ...uris.map((uri) => notificationFrame(this.idJson, { kind: 'resource', uri })),
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

  #passed(key: string | TaskChange, change: Change): Chunk {
    const known = this.#passing.get(key);
    if (known !== undefined) return known;
    const chunk = { text: notificationFrame(this.idJson, change) };
    if (this.streams > 1) this.#passing.set(key, chunk);
    return chunk;
  }

  #listFrames(lists: number): string {
    return LIST_KINDS.map((kind) => (lists & LIST_BITS[kind] ? notificationFrame(this.idJson, { kind }) : '')).join('');
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
