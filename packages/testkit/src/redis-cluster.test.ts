import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { openRedisCluster, type RedisCluster } from './redis-cluster.ts';

describe('a redis cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await openRedisCluster({ replicas: 1 });
  }, INSTALL_MS);
  afterAll(() => cluster.close());

  it('moves a slot with what is in it to another master', async () => {
    const former = await cluster.masterOf('{moved}:k');
    await former.cli('SET', '{moved}:k', 'v');
    const to = await cluster.masterBeside('{moved}:k');
    await cluster.moveSlot('{moved}:k', to);
    expect(await cluster.masterOf('{moved}:k')).toBe(to);
    expect(await to.cli('GET', '{moved}:k')).toBe('v');
    await expect(former.cli('GET', '{moved}:k')).rejects.toThrow('MOVED');
  });

  it('replaces a master that was killed', async () => {
    const former = await cluster.masterOf('k');
    await former.kill();
    const master = await cluster.failedOver('k', former);
    expect(master).not.toBe(former);
    expect(await master.cli('SET', 'k', 'v')).toBe('OK');
  });
});
