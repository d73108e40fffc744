import { ManualClock } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { GrantCache } from './grant-cache.ts';

const one = (uri: string) => ({ resourceSubscriptions: [uri] });

describe('remembered grants', () => {
  it('are good until their time, to the millisecond', () => {
    const clock = new ManualClock(1_000);
    const cache = new GrantCache({ clock, ttlMs: 100, maxCharacters: 10_000 });
    cache.remember('k', 'ann', one('a'));
    clock.advance(99);
    expect(cache.recall('k')).toEqual(one('a'));
    expect(cache.recall('other')).toBeUndefined();
    clock.advance(1);
    expect(cache.recall('k')).toBeUndefined();
  });

  it('are none with a time of 0', () => {
    const cache = new GrantCache({ clock: new ManualClock(0), ttlMs: 0, maxCharacters: 10_000 });
    cache.remember('k', 'ann', one('a'));
    expect(cache.recall('k')).toBeUndefined();
  });

  it('give way, the oldest first, to what would go beyond the bound', () => {
    const cache = new GrantCache({ clock: new ManualClock(0), ttlMs: 1_000, maxCharacters: 5_000 });
    for (const key of ['a', 'b', 'c']) cache.remember(key, 'ann', one('x'.repeat(2_000)));
    expect(['a', 'b', 'c'].map((key) => cache.recall(key) !== undefined)).toEqual([false, true, true]);
    cache.remember('huge', 'ann', one('x'.repeat(6_000)));
    expect(cache.recall('huge')).toBeUndefined();
  });

  it('are forgotten by principal, or all at once', () => {
    const cache = new GrantCache({ clock: new ManualClock(0), ttlMs: 1_000, maxCharacters: 10_000 });
    const held = () => ['a1', 'a2', 'b'].filter((key) => cache.recall(key) !== undefined);
    for (const key of ['a1', 'a2']) cache.remember(key, 'ann', one('x'));
    cache.remember('b', 'bob', one('x'));
    cache.forget('ann');
    expect(held()).toEqual(['b']);
    cache.forget(undefined);
    expect(held()).toEqual([]);
  });

  it('take no more than the bound, however many there are and whatever is remembered again', () => {
    const clock = new ManualClock(0);
    const cache = new GrantCache({ clock, ttlMs: 50, maxCharacters: 5_000 });
    for (let round = 0; round < 500; round += 1) {
      cache.remember(`k${round % 7}`, 'ann', one('x'.repeat((round % 5) * 300)));
      clock.advance(round % 3);
      const held = Array.from({ length: 7 }, (_, index) => cache.recall(`k${index}`)?.resourceSubscriptions?.[0] ?? '');
      expect(held.reduce((sum, uri) => sum + uri.length, 0)).toBeLessThanOrEqual(5_000);
    }
    clock.advance(50);
    cache.remember('last', 'ann', one('x'.repeat(4_000)));
    expect(cache.recall('last'), 'all that was there has gone').toBeDefined();
  });
});
