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
  #queue: Stream[] = [];
  #next = 0;
  #startedAt = 0;

  constructor(clock: Clock, passed: (streams: number, tookMs: number) => void) {
    this.#clock = clock;
    this.#passed = passed;
  }

  /** Puts a stream on the list of the pass that runs next or is running. */
  enqueue(stream: Stream): void {
    if (stream.queued) return;
    stream.queued = true;
    if (this.#queue.push(stream) > 1) return;
    this.#startedAt = this.#clock.now();
    this.#clock.soon(this.#slice);
  }

  readonly #slice = (): void => {
    const queue = this.#queue;
    const end = Math.min(this.#next + STREAMS_PER_SLICE, queue.length);
    for (let index = this.#next; index < end; index += 1) {
      const stream = queue[index] as Stream;
      stream.queued = false;
      stream.flush();
    }
    this.#next = end;
    if (end < queue.length) {
      this.#clock.soon(this.#slice);
      return;
    }
    for (const stream of queue) stream.tag.endPass();
    this.#passed(queue.length, this.#clock.now() - this.#startedAt);
    this.#queue = [];
    this.#next = 0;
  };
}
