import type { Clock } from '@listen-gateway/core';

/**
 * Lets so many requests through in each turn of the event loop; the rest wait for theirs, first come first served.
 *
 * When thousands of hosts come back at once, a single turn would otherwise open them all, and for as long as that takes
 * changes, health checks and other hosts would stand still.
 */
export class Turnstile {
  readonly #clock: Pick<Clock, 'soon'>;
  readonly #perTurn: number;
  #left: number;
  #turning = false;
  #waiting: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'soon'>, perTurn: number) {
    this.#clock = clock;
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Resolves when it is the caller's turn; undefined where that is now. */
  pass(): Promise<void> | undefined {
    if (!this.#turning) {
      this.#turning = true;
      this.#clock.soon(this.#turn);
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  readonly #turn = (): void => {
    const next = this.#waiting.splice(0, this.#perTurn);
    this.#left = this.#perTurn - next.length;
    this.#turning = next.length > 0;
    if (this.#turning) this.#clock.soon(this.#turn);
    for (const resolve of next) resolve();
  };
}
