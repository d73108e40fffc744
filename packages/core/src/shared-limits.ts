/** How much of something may be done under one key. */
export interface RateLimit {
  /**
   * Takes points of what the key may spend; resolves with 0, or with the milliseconds after which it may try again.
   * Never rejects: while the other processes cannot be asked, what this one knows decides.
   */
  take(key: string, points?: number): Promise<number>;
}

/** So many points within so many seconds. */
export interface Allowance {
  readonly points: number;
  readonly seconds: number;
}

/** How many streams each holder has on all instances together. A holder is a principal, or an address where there is none. */
export interface StreamShares {
  /**
   * Counts one more stream of the holder unless it has as many as it may. Never rejects: while the other instances
   * cannot be asked, the streams of this one decide.
   */
  claim(holder: string, limit: number): Promise<boolean>;
  /** Gives back what a claim counted, once for each. */
  release(holder: string): void;
}

/** Limits that all processes keep together. */
export interface SharedLimits {
  readonly shares: StreamShares;
  /** Limits that have the same name count together. */
  rate(name: string, allowance: Allowance): RateLimit;
  /** Gives back everything. Closing twice is fine. */
  close(): Promise<void>;
}
