/** Stops what it was returned for; calling it again, or after the task ran, does nothing. */
export type Cancel = () => void;

/** Time, as the rules see it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Runs `task` once, `delayMs` (at most 2^31−1) from now. */
  after(delayMs: number, task: () => void): Cancel;
  /** Runs `task` after pending I/O had its turn: the place where a long pass lets the event loop breathe. */
  soon(task: () => void): void;
}

/** A number in [0, 1); not for secrets. */
export type Random = () => number;
