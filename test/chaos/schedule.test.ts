import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from './fault-kinds.ts';
import { schedule } from './schedule.ts';

function firstFaults(seed: number, count: number) {
  const faults = schedule(seed, FAULT_KINDS);
  return Array.from({ length: count }, () => {
    const { number, fault, quietMs } = faults.next().value;
    return { number, name: fault.name, holdMs: fault.holdMs, quietMs };
  });
}

describe('a schedule', () => {
  it('is the same for the same seed', () => {
    expect(firstFaults(7, 100)).toEqual(firstFaults(7, 100));
    expect(firstFaults(7, 100)).not.toEqual(firstFaults(8, 100));
  });

  it('has every kind once in each round', () => {
    const names = firstFaults(7, 2 * FAULT_KINDS.length).map(({ name }) => name);
    const all = FAULT_KINDS.map(({ name }) => name).sort();
    expect(names.slice(0, all.length).sort()).toEqual(all);
    expect(names.slice(all.length).sort()).toEqual(all);
  });
});
