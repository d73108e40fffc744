import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** What became of the changes. */
export interface Tally {
  /** Changes that the publisher took, each to be heard by every host. */
  readonly published: number;
  /** Of these, the ones that reached no gateway instance. */
  readonly unheard: number;
  /** Notifications that hosts had. */
  readonly delivered: number;
  /** Notifications that hosts are still owed when they ought to have them. */
  readonly missed: number;
  /** From the publish request to the host, in microseconds. */
  readonly delays: RecordableHistogram;
}

export interface LedgerOptions {
  /** One for each change that can be under way at once. */
  readonly uris: readonly string[];
  readonly hosts: number;
  readonly isListening: (host: number) => boolean;
}

interface Slot {
  sentAt: number;
  published: boolean;
  /** Which hosts have heard of it. */
  readonly heard: Uint8Array;
}

/**
 * Which host heard of which change. A notification says "read this URI again" and no more, so a later change of the same
 * URI would hide that an earlier one was lost: each change has a URI of its own until it is judged.
 */
export class Ledger {
  readonly uris: readonly string[];
  readonly #slots: readonly Slot[];
  readonly #isListening: (host: number) => boolean;
  readonly #delays = createHistogram();
  #sent = 0;
  #published = 0;
  #unheard = 0;
  #delivered = 0;
  #missed = 0;

  constructor({ uris, hosts, isListening }: LedgerOptions) {
    this.uris = uris;
    this.#slots = this.uris.map(() => ({ sentAt: 0, published: false, heard: new Uint8Array(hosts) }));
    this.#isListening = isListening;
  }

  /** The URI of the next change, which is about to be published; what had it before is judged now. */
  next(now: number): { readonly uri: string; readonly index: number } {
    const index = this.#sent++ % this.uris.length;
    const slot = this.#slots[index]!;
    this.#judge(slot);
    slot.sentAt = now;
    slot.heard.fill(0);
    return { uri: this.uris[index]!, index };
  }

  /** The publisher took the change. One that it refused is owed to nobody. */
  published(index: number, instances: number): void {
    this.#slots[index]!.published = true;
    this.#published += 1;
    if (instances === 0) this.#unheard += 1;
  }

  /** A host was notified of that URI. Once more is no harm: that is how a gap is told. */
  heard(host: number, index: number, now: number): void {
    const slot = this.#slots[index];
    if (slot === undefined || slot.sentAt === 0 || slot.heard[host] === 1) return;
    slot.heard[host] = 1;
    this.#delays.record(Math.max(1, Math.round((now - slot.sentAt) * 1_000)));
  }

  /** Whether every host that still listens has heard of all that was published. */
  get isSettled(): boolean {
    return this.#slots.every((slot) => !slot.published || !slot.heard.some((heard, host) => this.#owes(heard, host)));
  }

  /** Judges what is left. */
  close(): Tally {
    for (const slot of this.#slots) this.#judge(slot);
    return {
      published: this.#published,
      unheard: this.#unheard,
      delivered: this.#delivered,
      missed: this.#missed,
      delays: this.#delays,
    };
  }

  #judge(slot: Slot): void {
    if (slot.published) {
      slot.heard.forEach((heard, host) => {
        this.#delivered += heard;
        if (this.#owes(heard, host)) this.#missed += 1;
      });
    }
    slot.published = false;
  }

  /** A stream that ended is reported as such. */
  #owes(heard: number, host: number): boolean {
    return heard === 0 && this.#isListening(host);
  }
}
