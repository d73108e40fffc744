import {
  brokerContract,
  eventually,
  INSTALL_MS,
  openRedisSentinels,
  REDIS_PROGRAMS,
  RedisSentinels,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { RedisBroker } from './redis-broker.ts';

describe.each(REDIS_PROGRAMS)('%s:', (program) => {
  let redis: RedisSentinels;

  beforeAll(async () => {
    redis = await openRedisSentinels({ program });
  }, INSTALL_MS);

  afterAll(() => redis.close());

  brokerContract(
    'redis sentinel',
    async () => {
      const broker = new RedisBroker({
        url: `redis://${RedisSentinels.MASTER}`,
        mode: 'sentinel',
        nodes: redis.addresses,
        lingerMs: 3,
      });
      await eventually(5_000, 'the broker to be ready', () => broker.status().ready);
      return broker;
    },
    { carriesBetweenInstances: true },
  );
});
