import { ManualClock } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { Wheel } from './wheel.ts';

interface Member {
  readonly id: number;
}

interface Act {
  readonly type: 'add' | 'remove' | 'advance';
  readonly number: number;
}

/** A wheel, and when each member was visited last or came. */
function turning(turnMs: number) {
  const clock = new ManualClock(5_000);
  const seen = new Map<Member, number>();
  const strays: Member[] = [];
  let visits = 0;
  let ticks = 0;
  const wheel = new Wheel<Member>(clock, {
    turnMs,
    visit: (member) => {
      visits += 1;
      if (seen.has(member)) seen.set(member, clock.now());
      else strays.push(member);
    },
    ticked: () => {
      ticks += 1;
    },
  });
  wheel.start();
  const add = (id: number): Member => {
    const member = { id };
    seen.set(member, clock.now());
    wheel.add(member);
    return member;
  };
  const remove = (member: Member): void => {
    seen.delete(member);
    wheel.remove(member);
  };
  const perform = ({ type, number }: Act): void => {
    if (type === 'add') add(number);
    else if (type === 'advance') clock.advance(number);
    else if (seen.size > 0) remove([...seen.keys()][number % seen.size] as Member);
  };
  const overdue = () => [...seen.values()].filter((at) => clock.now() - at > turnMs);
  return { clock, wheel, add, perform, overdue, strays, visits: () => visits, ticks: () => ticks };
}

describe('a wheel', () => {
  it('visits every member within each turn, those that came late too, and none that left (INS-02, FIELD C11)', () => {
    const act = fc.record<Act>({ type: fc.constantFrom('add', 'remove', 'advance'), number: fc.nat(400) });
    const acts = fc.array(act, { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 2_050 }), acts, (turnMs, acts) => {
        const turn = turning(turnMs);
        for (const act of acts) {
          turn.perform(act);
          expect(turn.overdue()).toEqual([]);
        }
        for (let ms = 0; ms < 2 * turnMs; ms += 50) {
          turn.clock.advance(50);
          expect(turn.overdue()).toEqual([]);
        }
        expect(turn.strays).toEqual([]);
      }),
    );
  });

  it('visits every member once in a turn, spread evenly over it', () => {
    const { clock, add, visits } = turning(1_000);
    for (let id = 0; id < 100; id += 1) add(id);
    for (let tick = 1; tick <= 20; tick += 1) {
      clock.advance(100);
      expect(visits()).toBe(tick * 10);
    }
  });

  it('lets a member leave, and another come, while it is visited', () => {
    const clock = new ManualClock();
    const visited: number[] = [];
    const wheel = new Wheel<Member>(clock, {
      turnMs: 100,
      visit: (member) => {
        visited.push(member.id);
        for (const other of members) wheel.remove(other);
      },
      ticked: () => {},
    });
    const members = [1, 2, 3].map((id) => ({ id }));
    for (const member of members) wheel.add(member);
    wheel.start();
    clock.advance(300);
    expect(visited).toEqual([1]);
  });

  it('ticks on one timer for all, and on none once it was stopped', () => {
    const { clock, wheel, add, ticks } = turning(1_000);
    for (let id = 0; id < 1_000; id += 1) add(id);
    wheel.start();
    expect(clock.pending).toBe(1);
    clock.advance(250);
    expect(ticks()).toBe(2);
    wheel.stop();
    wheel.stop();
    expect(clock.pending).toBe(0);
    clock.advance(1_000);
    expect(ticks()).toBe(2);
    wheel.start();
    clock.advance(100);
    expect(ticks()).toBe(3);
  });

  it('can be stopped by what its tick calls', () => {
    const clock = new ManualClock();
    const wheel: Wheel<Member> = new Wheel(clock, { turnMs: 100, visit: () => {}, ticked: () => wheel.stop() });
    wheel.start();
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('keeps its turns although its timers come late', () => {
    const manual = new ManualClock();
    let lateMs = 0;
    const late: Clock = {
      now: () => manual.now() + lateMs,
      after: (delayMs, task) => manual.after(delayMs, task),
      soon: (task) => manual.soon(task),
    };
    const visitedAt: number[] = [];
    const wheel = new Wheel<Member>(late, {
      turnMs: 1_000,
      visit: () => visitedAt.push(late.now()),
      // Each tick runs 7 ms after it was due.
      ticked: () => {
        lateMs += 7;
      },
    });
    wheel.add({ id: 3 });
    wheel.start();

    manual.advance(60_000);

    wheel.stop();
    const turns = visitedAt.slice(1).map((at, index) => at - (visitedAt[index] as number));
    expect(turns.length).toBeGreaterThan(50);
    expect(Math.max(...turns)).toBeLessThanOrEqual(1_007);
  });
});
