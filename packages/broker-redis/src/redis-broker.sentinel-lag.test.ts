import {
  cureSentinel,
  deafenSentinel,
  eventually,
  freshServerId,
  INSTALL_MS,
  openRedisSentinels,
  type RedisProcess,
  RedisSentinels,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, untilReady } from '../test/test-brokers.ts';
import { RedisBroker } from './redis-broker.ts';
import { DEFAULT_PREFIX, redisKeys } from './redis-keys.ts';

let redis: RedisSentinels;
let [informed, deaf, former]: RedisProcess[] = [];
let broker: RedisBroker;
let troubles: string[];

beforeEach(async () => {
  redis = await openRedisSentinels();
  [informed, deaf] = redis.sentinels;
  former = await redis.master();
  await deafenSentinel(deaf!, redis);
}, INSTALL_MS);

afterEach(async () => {
  await broker?.close();
  await redis?.close();
});

async function open(): Promise<void> {
  troubles = [];
  const disconnected = (_role: string, cause: unknown) => troubles.push(String(cause));
  // Each attempt to connect asks the next of them in turn.
  const nodes = [informed!, deaf!].map(({ address }) => address);
  broker = new RedisBroker({
    url: `redis://${RedisSentinels.MASTER}`,
    mode: 'sentinel',
    nodes,
    observer: { disconnected },
  });
  await untilReady(broker);
}

describe('the redis broker, while one sentinel has not heard of a failover', { timeout: 40_000 }, () => {
  it('publishes nothing at the former master, which that sentinel names and which takes itself for one', async () => {
    await open();
    await redis.failOver();
    await eventually(ARRIVAL_MS, 'the change of master to be told', () => troubles.length >= 2);
    const serverId = freshServerId();
    await publishNumbered(broker, serverId, 1, 200);
    const { journal } = redisKeys(DEFAULT_PREFIX, serverId);
    expect(String(await former!.cli('INFO', 'replication')), 'the test is about something').toContain('role:master');
    expect(await former!.cli('XLEN', journal)).toBe(0);
  });

  it('stays with the new master when it is told of what it has found by itself', async () => {
    await redis.failOver();
    await open();
    await cureSentinel(deaf!);
    await eventually(ARRIVAL_MS, 'the last sentinel to know', async () => {
      const named = await deaf!.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', RedisSentinels.MASTER);
      return Number((named as string[])[1]) !== former!.port;
    });
    await publishNumbered(broker, freshServerId(), 1);
    expect(troubles).toEqual([]);
  });
});
