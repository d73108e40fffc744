import type { Cancel, Clock } from '@listen-gateway/core';

interface Due {
  readonly at: number;
  readonly task: () => void;
}

/** A `Clock` that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #due: Due[] = [];
  #soon: (() => void)[] = [];

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, task: () => void): Cancel {
    const due: Due = { at: this.#now + Math.max(0, delayMs), task };
    const later = this.#due.findIndex((other) => other.at > due.at);
    this.#due.splice(later < 0 ? this.#due.length : later, 0, due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  /** Runs the `soon` tasks that wait now, in order; those that they add wait for the next call. */
  runSoon(): void {
    for (const task of this.#soon.splice(0)) task();
  }

  /** Moves time on, running every task that falls due in order of time, and all `soon` tasks before, between and after them. */
  advance(ms: number): void {
    const end = this.#now + ms;
    this.#runAllSoon();
    for (let next = this.#due[0]; next && next.at <= end; next = this.#due[0]) {
      this.#due.shift();
      this.#now = next.at;
      next.task();
      this.#runAllSoon();
    }
    this.#now = end;
  }

  /** How many tasks wait, `soon` ones included: what a test checks for leaks. */
  get pending(): number {
    return this.#due.length + this.#soon.length;
  }

  #runAllSoon(): void {
    while (this.#soon.length > 0) this.runSoon();
  }
}
