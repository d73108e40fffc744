import { describe, expect, it } from 'vitest';
import { admit, REFUSALS } from './admit.ts';

const limits = { streamsPerInstance: 10, streamsPerPrincipal: 3 };

describe('a listen', () => {
  it.each([
    [0, 0, 'admitted'],
    [9, 2, 'admitted'],
    [10, 0, 'instance-full'],
    [11, 0, 'instance-full'],
    [9, 3, 'principal-full'],
    [9, 4, 'principal-full'],
    [10, 3, 'instance-full'],
  ])(
    'beside %i streams of the instance and %i of its principal is %s (INS-05, FIELD C34)',
    (onInstance, forPrincipal, verdict) => {
      expect(admit({ onInstance, forPrincipal }, limits)).toBe(verdict);
    },
  );

  it('is refused for one of a closed list of reasons, each named once', () => {
    expect(new Set(REFUSALS).size).toBe(REFUSALS.length);
  });
});
