import type { Clock } from './clock.ts';
import type { Stream } from './stream.ts';

/** Streams that expire within the same span are looked at together; an expiry is noticed that much late at most. */
const SPAN_MS = 250;

/**
 * When streams expire, without a timer for any of them: a token that is good for longer than 24.8 days would overflow
 * a timer and end its stream at once.
 */
export class Expiries {
  readonly #clock: Clock;
  readonly #spans = new Map<number, Set<Stream>>();
  #next: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#next = this.#spanOf(clock.now());
  }

  add(stream: Stream): void {
    const span = this.#spanIn(stream);
    if (span === undefined) return;
    const streams = this.#spans.get(span) ?? new Set();
    this.#spans.set(span, streams.add(stream));
  }

  remove(stream: Stream): void {
    const span = this.#spanIn(stream);
    if (span === undefined) return;
    const streams = this.#spans.get(span);
    streams?.delete(stream);
    if (streams?.size === 0) this.#spans.delete(span);
  }

  /** The streams whose time has come since the last call. */
  due(): readonly Stream[] {
    const due: Stream[] = [];
    const current = this.#spanOf(this.#clock.now());
    for (; this.#next < current; this.#next += 1) {
      for (const stream of this.#spans.get(this.#next) ?? []) due.push(stream);
      this.#spans.delete(this.#next);
    }
    return due;
  }

  #spanIn({ principal }: Stream): number | undefined {
    if (principal?.expiresAt === undefined) return undefined;
    // One that came too late is due at the next look.
    return Math.max(this.#spanOf(principal.expiresAt), this.#next);
  }

  #spanOf(at: number): number {
    return Math.floor(at / SPAN_MS);
  }
}
