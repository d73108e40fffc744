/** A moment by which something has to be done, shared by the steps that lead there. */
export class Deadline {
  readonly #endsAt: number;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  get isOver(): boolean {
    return this.remainingMs === 0;
  }

  /** Waits for `promise` until the deadline. */
  async meet<T>(promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Redis did not answer in time')), this.remainingMs);
    });
    try {
      return await Promise.race([promise, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
