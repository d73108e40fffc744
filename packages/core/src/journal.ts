import type { Published } from '@listen-gateway/protocol';
import type { Clock } from './clock.ts';

export interface JournalBounds {
  /** At most this many changes are kept. */
  readonly length: number;
  /** None is kept for longer than this. */
  readonly ageMs: number;
}

export interface JournalEntry {
  /** `<ms>-<seq>`; grows strictly. */
  readonly id: string;
  readonly change: Published;
}

/** The bounded log of one server's changes. */
export class Journal {
  readonly #clock: Clock;
  readonly #bounds: JournalBounds;
  #entries: (JournalEntry & { readonly ms: number })[] = [];
  #lastMs = 0;
  #lastSeq = 0;

  constructor(clock: Clock, bounds: JournalBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Keeps the change and returns its id. */
  append(change: Published): string {
    const ms = Math.floor(this.#clock.now());
    this.#lastSeq = ms > this.#lastMs ? 0 : this.#lastSeq + 1;
    this.#lastMs = Math.max(ms, this.#lastMs);
    const id = `${this.#lastMs}-${this.#lastSeq}`;
    this.#entries.push({ id, change, ms: this.#lastMs });
    this.#trim();
    return id;
  }

  /** Oldest first. */
  entries(): readonly JournalEntry[] {
    this.#trim();
    return this.#entries.map(({ id, change }) => ({ id, change }));
  }

  #trim(): void {
    const oldestMs = this.#clock.now() - this.#bounds.ageMs;
    const excess = Math.max(0, this.#entries.length - this.#bounds.length);
    const firstYoung = this.#entries.findIndex((entry) => entry.ms >= oldestMs);
    const cut = Math.max(excess, firstYoung < 0 ? this.#entries.length : firstYoung);
    if (cut > 0) this.#entries = this.#entries.slice(cut);
  }
}
