import type { Clock } from './clock.ts';
import type { Stream } from './stream.ts';

/** Streams written to before the event loop gets its turn: other requests wait a few milliseconds at most. */
const STREAMS_PER_SLICE = 128;

/**
 * Writes to the streams that owe something. A change only marks streams; the pass that follows walks them in slices
 * and writes all that a stream owes at once, so a burst costs one write for each stream and not one for each change.
 */
export class FanOut {
  readonly #clock: Clock;
  readonly #passed: (streams: number, tookMs: number) => void;
  /** The streams of the next pass. */
  #marked: Stream[] = [];
  #markedAt = 0;
  /** The streams of the pass that is running; none where none is. */
  #passing: readonly Stream[] = [];
  #next = 0;
  #startedAt = 0;

  constructor(clock: Clock, passed: (streams: number, tookMs: number) => void) {
    this.#clock = clock;
    this.#passed = passed;
  }

  /**
   * Puts a stream on the list of the next pass, unless the running one has yet to reach it. A pass does not take in
   * what was marked behind it: under changes that never stop it would never end, and its list would grow for ever.
   */
  enqueue(stream: Stream): void {
    if (stream.queued) return;
    stream.queued = true;
    if (this.#marked.push(stream) > 1) return;
    this.#markedAt = this.#clock.now();
    if (this.#passing.length === 0) this.#clock.soon(this.#begin);
  }

  readonly #begin = (): void => {
    this.#passing = this.#marked;
    this.#startedAt = this.#markedAt;
    this.#marked = [];
    this.#next = 0;
    this.#slice();
  };

  readonly #slice = (): void => {
    const streams = this.#passing;
    const end = Math.min(this.#next + STREAMS_PER_SLICE, streams.length);
    for (let index = this.#next; index < end; index += 1) {
      const stream = streams[index] as Stream;
      stream.queued = false;
      stream.flush();
    }
    this.#next = end;
    if (end < streams.length) this.#clock.soon(this.#slice);
    else this.#end();
  };

  #end(): void {
    const streams = this.#passing;
    for (const stream of streams) stream.tag.endPass();
    this.#passing = [];
    if (this.#marked.length > 0) this.#clock.soon(this.#begin);
    this.#passed(streams.length, this.#clock.now() - this.#startedAt);
  }
}
