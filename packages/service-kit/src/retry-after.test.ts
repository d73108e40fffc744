import { describe, expect, it } from 'vitest';
import { retryAfter } from './retry-after.ts';

describe('a Retry-After', () => {
  it('spreads over 1 to 5 whole seconds', () => {
    expect([0, 0.2, 0.5, 0.79, 0.999_999].map((random) => retryAfter(() => random))).toEqual(['1', '2', '3', '4', '5']);
  });
});
