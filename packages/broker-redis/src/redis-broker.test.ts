import { brokerContract, eventually, INSTALL_MS, openRedis, REDIS_PROGRAMS, type Redis } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { RedisBroker } from './redis-broker.ts';

describe.each(REDIS_PROGRAMS)('%s:', (program) => {
  let redis: Redis;

  beforeAll(async () => {
    redis = await openRedis(program);
  }, INSTALL_MS);

  afterAll(() => redis.close());

  brokerContract(
    'redis',
    async () => {
      // Lingers about as long as the suite pauses between a detach and the next attach.
      const broker = new RedisBroker({ url: redis.url, lingerMs: 3 });
      await eventually(5_000, 'the broker to be ready', () => broker.status().ready);
      return broker;
    },
    { carriesBetweenInstances: true },
  );
});
