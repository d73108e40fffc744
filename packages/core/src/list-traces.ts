import type { ListKind, TraceContext } from '@listen-gateway/protocol';
import { LIST_BITS } from './outbox.ts';

/**
 * The traces of the lists that a stream owes, one for each kind. Never changed, and shared by all streams that were
 * marked alike, so that they share the chunks made of it too.
 */
export class ListTraces {
  /** Bits of `LIST_BITS`. */
  readonly lists: number;
  readonly #traces: Readonly<Partial<Record<ListKind, TraceContext>>>;
  /** What this became with a newer one; forgotten with that. */
  #merged: WeakMap<ListTraces, ListTraces> | undefined;

  constructor(traces: Readonly<Partial<Record<ListKind, TraceContext>>>) {
    this.#traces = traces;
    this.lists = (Object.keys(traces) as ListKind[]).reduce((lists, kind) => lists | LIST_BITS[kind], 0);
  }

  of(kind: ListKind): TraceContext | undefined {
    return this.#traces[kind];
  }

  /** With a newer one, whose traces come in the place of older ones. */
  with(newer: ListTraces): ListTraces {
    if ((this.lists & ~newer.lists) === 0) return newer;
    const known = this.#merged?.get(newer);
    if (known !== undefined) return known;
    const merged = new ListTraces({ ...this.#traces, ...newer.#traces });
    this.#merged ??= new WeakMap();
    this.#merged.set(newer, merged);
    return merged;
  }
}
