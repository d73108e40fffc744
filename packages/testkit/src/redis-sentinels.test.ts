import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { openRedisSentinels, type RedisSentinels } from './redis-sentinels.ts';

describe('redis sentinels', () => {
  let redis: RedisSentinels;
  beforeAll(async () => {
    redis = await openRedisSentinels();
  }, INSTALL_MS);
  afterAll(() => redis.close());

  it('replace a master that was killed', async () => {
    const former = await redis.master();
    await former.kill();
    const master = await redis.failedOver(former);
    expect(await redis.replicas()).toEqual([former]);
    expect(await master.cli('SET', 'k', 'v')).toBe('OK');
  });
});
