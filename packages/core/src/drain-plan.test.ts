import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drainPlan } from './drain-plan.ts';

const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('a drain plan', () => {
  it('names a time within the window for each stream, growing', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(60_000), fc.infiniteStream(fractions), (streams, windowMs, random) => {
        const plan = drainPlan(streams, windowMs, () => random.next().value);
        expect(plan).toHaveLength(streams);
        expect(plan.every((at) => at >= 0 && at <= windowMs)).toBe(true);
        expect(plan.every((at, index) => index === 0 || at >= (plan[index - 1] ?? 0))).toBe(true);
      }),
    );
  });

  it('spreads the streams evenly over the window: no part of it sees twice its share (P-5, INS-05)', () => {
    const plan = drainPlan(10_000, 20_000, Math.random);
    for (let from = 0; from < 20_000; from += 1_000) {
      const ends = plan.filter((at) => at >= from && at < from + 1_000).length;
      expect(ends).toBeGreaterThan(490);
      expect(ends).toBeLessThan(510);
    }
  });

  it('differs by its jitter alone', () => {
    expect(drainPlan(2, 20_000, () => 0)).toEqual([0, 10]);
    expect(drainPlan(2, 20_000, () => 0.5)).toEqual([5, 15]);
  });

  it('does not take the whole window for a few streams, nor any time for none', () => {
    expect(Math.max(...drainPlan(50, 20_000, Math.random))).toBeLessThan(500);
    expect(drainPlan(0, 20_000, Math.random)).toEqual([]);
    expect(drainPlan(3, 0, Math.random)).toEqual([0, 0, 0]);
  });
});
