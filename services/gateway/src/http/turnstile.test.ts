import { ManualClock } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { Turnstile } from './turnstile.ts';

/** Passes so many times, and tells which were let through so far. */
function crowd(turnstile: Turnstile, size: number, through: number[] = []): readonly number[] {
  const first = through.length;
  for (let index = 0; index < size; index += 1) {
    const turn = turnstile.pass();
    if (turn === undefined) through.push(first + index);
    else void turn.then(() => through.push(first + index));
  }
  return through;
}

describe('a turnstile', () => {
  const clock = new ManualClock();
  const nextTurn = async () => {
    clock.runSoon();
    await Promise.resolve();
  };

  it('lets so many through in a turn at once, the rest in order over the turns that follow', async () => {
    const through = crowd(new Turnstile(clock, 2), 5);
    expect(through).toEqual([0, 1]);
    await nextTurn();
    expect(through).toEqual([0, 1, 2, 3]);
    await nextTurn();
    expect(through).toEqual([0, 1, 2, 3, 4]);
  });

  it('lets nobody overtake those who wait', async () => {
    const turnstile = new Turnstile(clock, 2);
    const through = crowd(turnstile, 5);
    await nextTurn();
    const late = turnstile.pass();
    expect(late).toBeInstanceOf(Promise);
    await nextTurn();
    await late;
    expect(through).toEqual([0, 1, 2, 3, 4]);
  });

  it('lets as many through again once a turn has passed', async () => {
    const turnstile = new Turnstile(clock, 2);
    crowd(turnstile, 2);
    await nextTurn();
    expect(crowd(turnstile, 3)).toEqual([0, 1]);
  });

  it('leaves the event loop alone while nobody comes', async () => {
    const turnstile = new Turnstile(clock, 2);
    crowd(turnstile, 3);
    await nextTurn();
    await nextTurn();
    let turns = 0;
    clock.soon(() => {
      turns += 1;
    });
    clock.runSoon();
    clock.runSoon();
    expect(turns).toBe(1);
    expect(turnstile.pass()).toBeUndefined();
  });
});
