import { eventually, freshServerId, INSTALL_MS, openRedisSentinels, RedisSentinels } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hammer } from '../test/hammer.ts';
import { untilReady } from '../test/test-brokers.ts';
import { RedisBroker } from './redis-broker.ts';

let redis: RedisSentinels;
let brokers: RedisBroker[];
let hammer: Hammer;

beforeEach(async () => {
  redis = await openRedisSentinels();
  const url = `redis://${RedisSentinels.MASTER}`;
  brokers = [1, 2].map(() => new RedisBroker({ url, mode: 'sentinel', nodes: redis.addresses }));
  await Promise.all(brokers.map(untilReady));
  hammer = new Hammer(brokers[0]!, freshServerId());
  await brokers[1]!.attach(hammer.serverId, hammer);
  hammer.start();
  await hammer.beats(20);
}, INSTALL_MS);

afterEach(async () => {
  await Promise.all(brokers.map((broker) => broker.close()));
  await redis.close();
});

describe('the redis broker, over a failover by sentinels', { timeout: 40_000 }, () => {
  it('signals every accepted change or reports a gap after the master was killed', async () => {
    const master = await redis.master();
    await master.kill();
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.lost).toEqual([]);
    expect(hammer.gaps).toBeGreaterThan(0);
    expect(hammer.slowestRefusalMs).toBeLessThan(2_000);
    await Promise.all(brokers.map(untilReady));
  });

  it('does so too after one that was asked for, and leaves at once a master that still takes publishes', async () => {
    await redis.failOver();
    await eventually(5_000, 'the gap', () => hammer.gaps > 0);
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.lost).toEqual([]);
    await Promise.all(brokers.map(untilReady));
  });

  it('does so too after the master was frozen, and when it wakes', async () => {
    const master = await redis.master();
    master.pause();
    await redis.failedOver(master);
    await hammer.beats(100);
    master.resume();
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.lost).toEqual([]);
    await Promise.all(brokers.map(untilReady));
  });
});
