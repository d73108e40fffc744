import type { SharedLimits } from '@listen-gateway/core';
import { eventually, openRedisProcess, type RedisProcess } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLimits } from './open-limits.ts';

const LEASE_MS = 600;

let redis: RedisProcess;
const open: SharedLimits[] = [];

beforeAll(async () => {
  redis = await openRedisProcess();
});
afterEach(async () => {
  for (const instance of open.splice(0)) await instance.close();
  await redis.cli('FLUSHALL');
});
afterAll(() => redis.close());

/** An instance; it is asked until it has reached Redis, since until then it decides alone. */
async function instance(): Promise<SharedLimits> {
  const limits = openLimits({ url: redis.url, leaseMs: LEASE_MS });
  open.push(limits);
  const before = await living();
  await eventually(5_000, 'the connection of the instance', async () => (await living()) > before);
  return limits;
}

const living = async () => Number(await redis.cli('ZCARD', 'lg:1:{streams}:instances'));
const claims = async ({ shares }: SharedLimits, times: number, limit: number, holder = 'ann') => {
  let taken = 0;
  for (let n = 0; n < times; n += 1) taken += (await shares.claim(holder, limit)) ? 1 : 0;
  return taken;
};

describe('the streams of a holder', () => {
  it('are counted on all instances together, each holder by itself (FIELD C34)', async () => {
    const [one, other] = [await instance(), await instance()];
    expect(await claims(one, 3, 5)).toBe(3);
    expect(await claims(other, 5, 5)).toBe(2);
    expect(await claims(one, 1, 5)).toBe(0);
    expect(await claims(other, 1, 5, 'bob')).toBe(1);
  });

  it('are never more than the limit however many are claimed at once', async () => {
    const [one, other] = [await instance(), await instance()];
    const asked = [one, other].flatMap(({ shares }) => Array.from({ length: 20 }, () => shares.claim('ann', 7)));
    const taken = (await Promise.all(asked)).filter(Boolean);
    // Of several that wait together an instance counts all, so one may be refused that would just have had its place.
    expect(taken.length).toBeLessThanOrEqual(7);
    expect(taken.length + (await claims(one, 20, 7))).toBe(7);
  });

  it('find a place as soon as one is given back, on whichever instance (FIELD C34)', async () => {
    const [one, other] = [await instance(), await instance()];
    await claims(one, 5, 5);
    expect(await claims(other, 1, 5)).toBe(0);
    for (let n = 0; n < 2; n += 1) one.shares.release('ann');
    await eventually(5_000, 'the places', async () => (await claims(other, 1, 5)) === 1);
    expect(await claims(other, 2, 5)).toBe(1);
  });

  it('count for as long as their instance lives, however long that is', async () => {
    const [one, other] = [await instance(), await instance()];
    await claims(one, 5, 5);
    const until = Date.now() + LEASE_MS * 3;
    await eventually(5_000, 'three leases', () => Date.now() > until);
    expect(await claims(other, 1, 5)).toBe(0);
  });

  it('count no more once their instance was killed', async () => {
    const [one, other] = [await instance(), await instance()];
    await claims(one, 5, 5);
    // A killed process renews nothing: what is left of it in Redis is what a kill leaves.
    const [field] = (await redis.cli('HKEYS', await hashOf())) as string[];
    await redis.cli('ZADD', 'lg:1:{streams}:instances', String(Date.now() + LEASE_MS), 'killed');
    await redis.cli('HSET', 'lg:1:{streams}:instances:killed', field ?? '', '3');
    await one.close();
    expect(await claims(other, 5, 5)).toBe(2);
    await eventually(5_000, 'the end of the lease', async () => (await claims(other, 1, 5)) === 1);
    expect(await claims(other, 3, 5)).toBe(2);
  });

  it('are limited by each instance alone while Redis is away, and together again afterwards', async () => {
    const [one, other] = [await instance(), await instance()];
    await claims(one, 2, 4);
    await redis.kill();
    expect(await claims(one, 4, 4)).toBe(2);
    expect(await claims(other, 5, 4)).toBe(4);
    for (let n = 0; n < 3; n += 1) other.shares.release('ann');
    await redis.start();
    await eventually(10_000, 'both instances', async () => (await living()) === 2);
    for (let n = 0; n < 3; n += 1) one.shares.release('ann');
    // 1 and 1 are left of them.
    await eventually(5_000, 'a place', async () => (await claims(other, 1, 3)) === 1);
    expect(await claims(one, 1, 3)).toBe(0);
  });

  it('are counted together again after Redis hung, on a new connection', async () => {
    const [one, other] = [await instance(), await instance()];
    await claims(one, 3, 4);
    redis.pause();
    // By then each has noticed that its lease is not renewed.
    const until = Date.now() + LEASE_MS * 2;
    await eventually(5_000, 'two leases', () => Date.now() > until);
    redis.resume();
    const clients = async () => String(await redis.cli('CLIENT', 'LIST')).match(/name=listen-gateway:limits /g)?.length;
    await eventually(
      5_000,
      'both instances on one connection each',
      async () => (await clients()) === 2 && (await living()) === 2,
    );
    // A lease of before the pause may still be listed: what the other is granted shows that the three count again.
    await eventually(5_000, 'the three of the one to count again', async () => {
      const granted = await claims(other, 2, 4);
      for (let n = 0; n < granted; n += 1) other.shares.release('ann');
      return granted === 1;
    });
    expect(await claims(other, 2, 4)).toBe(1);
    expect(await claims(one, 1, 4)).toBe(0);
  });

  it('leave nothing behind, and nothing that says who they are', async () => {
    const one = await instance();
    await claims(one, 2, 5, 'ann@acme.example');
    const keys = (await redis.cli('KEYS', '*')) as string[];
    expect(JSON.stringify([keys, await redis.cli('HGETALL', await hashOf())])).not.toContain('ann');
    for (let n = 0; n < 2; n += 1) one.shares.release('ann@acme.example');
    await eventually(
      1_000,
      'the counts to go',
      async () => ((await redis.cli('KEYS', '*:instances:*')) as string[]).length === 0,
    );
    await one.close();
    expect(await redis.cli('KEYS', '*')).toEqual([]);
  });

  async function hashOf(): Promise<string> {
    const [key] = (await redis.cli('KEYS', '*:instances:*')) as string[];
    return key ?? '';
  }
});
