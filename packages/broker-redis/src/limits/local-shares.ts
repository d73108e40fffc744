import type { StreamShares } from '@listen-gateway/core';

/** The streams of this process alone. */
export class LocalShares implements StreamShares {
  readonly #counts = new Map<string, number>();

  async claim(holder: string, limit: number): Promise<boolean> {
    if (this.count(holder) >= limit) return false;
    this.add(holder, 1);
    return true;
  }

  release(holder: string): void {
    this.add(holder, -1);
  }

  count(holder: string): number {
    return this.#counts.get(holder) ?? 0;
  }

  add(holder: string, streams: number): void {
    const count = this.count(holder) + streams;
    if (count > 0) this.#counts.set(holder, count);
    else this.#counts.delete(holder);
  }

  /** Every holder and its count. */
  get all(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
