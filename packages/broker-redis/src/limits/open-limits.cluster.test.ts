import { eventually, INSTALL_MS, openRedisCluster, type RedisCluster } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLimits } from './open-limits.ts';

const INSTANCES = 'lg:1:{streams}:instances';

describe('limits on a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await openRedisCluster();
  }, INSTALL_MS);
  afterAll(() => cluster.close());

  it('are kept by all processes together, wherever their slots are', async () => {
    const open = () => openLimits({ url: `redis://${cluster.addresses[0]}`, mode: 'cluster' });
    const [one, other] = [open(), open()];
    try {
      const living = async () => Number(await (await cluster.masterOf(INSTANCES)).cli('ZCARD', INSTANCES));
      await eventually(10_000, 'both instances', async () => (await living()) === 2);
      const claims = [one, other, one, other].map(({ shares }) => shares.claim('ann', 3));
      expect((await Promise.all(claims)).filter(Boolean).length).toBeLessThanOrEqual(3);
      await eventually(5_000, 'the third place', async () => !(await one.shares.claim('ann', 3)));
      expect(await other.shares.claim('ann', 3)).toBe(false);

      const [rate, same] = [one, other].map((limits) => limits.rate('a', { points: 2, seconds: 60 }));
      for (const key of ['ann', 'bob', 'cleo', 'dan']) {
        expect([await rate?.take(key), await same?.take(key)]).toEqual([0, 0]);
        expect(await rate?.take(key)).toBeGreaterThan(0);
      }
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
});
