import type { SharedLimits } from '@listen-gateway/core';
import { eventually, openRedisProcess, type RedisProcess } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLimits } from './open-limits.ts';

let redis: RedisProcess;
const open: SharedLimits[] = [];

beforeAll(async () => {
  redis = await openRedisProcess();
});
afterEach(async () => {
  for (const limits of open.splice(0)) await limits.close();
});
afterAll(() => redis.close());

function limitsOf(url: string): SharedLimits {
  const limits = openLimits({ url });
  open.push(limits);
  return limits;
}

async function connected(): Promise<SharedLimits> {
  const limits = limitsOf(redis.url);
  await eventually(
    5_000,
    'the connection',
    async () => ((await redis.cli('KEYS', '*:instances')) as string[]).length > 0,
  );
  return limits;
}

describe('a rate', () => {
  it('is spent by all processes together', async () => {
    const [one, other] = [await connected(), await connected()].map((limits) =>
      limits.rate('a', { points: 5, seconds: 60 }),
    );
    await eventually(5_000, 'Redis to be asked', async () => {
      await one!.take('warm');
      return ((await redis.cli('KEYS', '*rate:a*')) as string[]).length > 0;
    });
    for (let n = 0; n < 5; n += 1) expect(await (n % 2 ? one : other)!.take('ann')).toBe(0);
    expect(await one!.take('ann')).toBeGreaterThan(50_000);
    expect(await other!.take('ann')).toBeGreaterThan(50_000);
    expect(await one!.take('bob', 5)).toBe(0);
    expect(JSON.stringify(await redis.cli('KEYS', '*'))).not.toContain('ann');
  });

  it('is kept by each process alone while Redis is away', async () => {
    const rate = (await connected()).rate('b', { points: 2, seconds: 60 });
    await redis.stop();
    try {
      expect([await rate.take('ann'), await rate.take('ann')]).toEqual([0, 0]);
      expect(await rate.take('ann')).toBeGreaterThan(0);
    } finally {
      await redis.start();
    }
  });

  it('is spent within the process over the memory broker', async () => {
    const rate = limitsOf('memory:').rate('c', { points: 3, seconds: 60 });
    expect([await rate.take('ann', 2), await rate.take('ann')]).toEqual([0, 0]);
    expect(await rate.take('ann')).toBeGreaterThan(0);
    expect(await rate.take('bob')).toBe(0);
  });

  it('adds little to a request while Redis hangs', async () => {
    const limits = await connected();
    const rate = limits.rate('d', { points: 100, seconds: 60 });
    await rate.take('ann');
    redis.pause();
    try {
      const startedAt = performance.now();
      expect(await rate.take('ann')).toBe(0);
      expect(await limits.shares.claim('ann', 1)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    } finally {
      redis.resume();
    }
  });
});
