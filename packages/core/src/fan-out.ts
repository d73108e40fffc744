import type { Clock } from './clock.ts';
import type { Stream } from './stream.ts';
import type { StreamObserver } from './stream-observer.ts';

/** Streams written to before the event loop gets its turn: other requests wait a few milliseconds at most. */
const STREAMS_PER_SLICE = 128;
/** Of a pass that carries more changes than this the rest is neither timed nor followed to its end. */
const MOST_TIMED = 4_096;

/**
 * Writes to the streams that owe something. A change only marks streams; the pass that follows walks them in slices
 * and writes all that a stream owes at once, so a burst costs one write for each stream and not one for each change.
 */
export class FanOut {
  readonly #clock: Clock;
  readonly #observer: Pick<StreamObserver, 'passed' | 'written'>;
  /** The streams of the next pass. */
  #marked: Stream[] = [];
  #markedAt = 0;
  /** The streams of the pass that is running; none where none is. */
  #passing: readonly Stream[] = [];
  #next = 0;
  #startedAt = 0;
  #writes = 0;
  /** When the broker took the changes that the next pass carries, and those of the one that is running. */
  #timed: number[] = [];
  #timing: number[] = [];
  /** Told when the next pass is over, and when the running one is. */
  #followed: (() => void)[] = [];
  #following: (() => void)[] = [];

  constructor(clock: Clock, observer: Pick<StreamObserver, 'passed' | 'written'>) {
    this.#clock = clock;
    this.#observer = observer;
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

  /** Times a change from `takenAt`, in milliseconds of the clock, to the end of the pass that writes it; follows the enqueues. */
  time(takenAt: number): void {
    // Where none is on the next list, the running pass has yet to reach every stream that owes the change.
    const times = this.#marked.length > 0 ? this.#timed : this.#timing;
    if (times.length < MOST_TIMED) times.push(takenAt);
  }

  /** Calls `over` at the end of the pass that writes a change; follows the enqueues. */
  follow(over: () => void): void {
    const followed = this.#marked.length > 0 ? this.#followed : this.#following;
    if (followed.length < MOST_TIMED) followed.push(over);
    else over();
  }

  readonly #begin = (): void => {
    this.#passing = this.#marked;
    this.#timing = this.#timed;
    this.#timed = [];
    this.#following = this.#followed;
    this.#followed = [];
    this.#writes = 0;
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
      if (stream.flush()) this.#writes += 1;
    }
    this.#next = end;
    if (end < streams.length) this.#clock.soon(this.#slice);
    else this.#end();
  };

  #end(): void {
    const streams = this.#passing;
    for (const stream of streams) stream.tag.endPass();
    const timing = this.#timing;
    const following = this.#following;
    this.#passing = [];
    this.#timing = [];
    this.#following = [];
    if (this.#marked.length > 0) this.#clock.soon(this.#begin);
    const now = this.#clock.now();
    this.#observer.passed(streams.length, now - this.#startedAt);
    if (this.#writes > 0) for (const takenAt of timing) this.#observer.written(now - takenAt);
    for (const over of following) over();
  }
}
