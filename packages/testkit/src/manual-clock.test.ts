import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';

describe('a manual clock', () => {
  it('runs due tasks in order of time, then of call, each at its own time', () => {
    const clock = new ManualClock(1000);
    const ran: string[] = [];
    const note = (name: string) => () => ran.push(`${name}@${clock.now()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(21, note('late'));
    clock.advance(20);
    expect(ran).toEqual(['a@1010', 'b@1010', 'c@1020']);
    expect(clock.now()).toBe(1020);
    expect(clock.pending).toBe(1);
  });

  it('runs a task that a task scheduled, if it falls due within the same advance', () => {
    const clock = new ManualClock();
    const ran: number[] = [];
    const again = () => {
      ran.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
  });

  it('does not run a cancelled task', () => {
    const clock = new ManualClock();
    const cancel = clock.after(10, () => expect.unreachable());
    cancel();
    cancel();
    clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it('runs one round of soon tasks at a time, and all of them on advance', () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    clock.soon(() => {
      ran.push('first');
      clock.soon(() => {
        ran.push('second');
        clock.soon(() => ran.push('third'));
      });
    });
    clock.runSoon();
    expect(ran).toEqual(['first']);
    clock.advance(0);
    expect(ran).toEqual(['first', 'second', 'third']);
  });
});
