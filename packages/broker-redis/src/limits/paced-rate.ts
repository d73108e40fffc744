import type { RateLimit } from '@listen-gateway/core';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { holderDigest } from './holder-digest.ts';

/** A rate limit of the library's, with its refusals as values. */
export class PacedRate implements RateLimit {
  readonly #limiter: RateLimiterAbstract;

  constructor(limiter: RateLimiterAbstract) {
    this.#limiter = limiter;
  }

  async take(key: string, points = 1): Promise<number> {
    try {
      await this.#limiter.consume(holderDigest(key), points);
      return 0;
    } catch (refusal) {
      // Anything else is a store that failed in a way of which the library's own fallback did not take care.
      return refusal instanceof RateLimiterRes ? Math.max(1, refusal.msBeforeNext) : 0;
    }
  }
}
