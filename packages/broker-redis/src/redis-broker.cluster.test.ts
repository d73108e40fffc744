import {
  brokerContract,
  eventually,
  INSTALL_MS,
  openRedisCluster,
  REDIS_PROGRAMS,
  type RedisCluster,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { RedisBroker } from './redis-broker.ts';

describe.each(REDIS_PROGRAMS)('%s:', (program) => {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await openRedisCluster({ program });
  }, INSTALL_MS);

  afterAll(() => cluster.close());

  brokerContract(
    'redis cluster',
    async () => {
      // Lingers about as long as the suite pauses between a detach and the next attach.
      const broker = new RedisBroker({ url: cluster.nodes[0]!.url, mode: 'cluster', lingerMs: 3 });
      await eventually(5_000, 'the broker to be ready', () => broker.status().ready);
      return broker;
    },
    { carriesBetweenInstances: true },
  );
});
