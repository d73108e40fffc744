import { setTimeout as pause } from 'node:timers/promises';
import {
  freshServerId,
  INSTALL_MS,
  numbered,
  numberedUris,
  openRedisProcess,
  RecordingListener,
  type RedisProcess,
  redisClients,
  within,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishNumbered, TestBrokers, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';

let redis: RedisProcess;
let brokers: TestBrokers;

beforeEach(async () => {
  redis = await openRedisProcess();
  brokers = await TestBrokers.on(redis);
}, INSTALL_MS);

afterEach(async () => {
  await brokers.close();
  await redis.close();
});

describe('the redis broker, while Redis is down', () => {
  it('rejects publishes within 2 s and never delivers them later (FIELD E12)', async () => {
    const broker = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await redis.stop();
    for (let n = 1; n <= 5; n += 1) {
      const publish = within(2_000, 'the rejection', broker.publish(serverId, [numbered(n)]));
      await expect(publish).rejects.toMatchObject({ name: 'BrokerError', code: 'BROKER_UNAVAILABLE' });
    }
    expect(broker.status()).toEqual({ ready: false, reason: expect.stringContaining('Redis is not reachable') });
    await redis.start();
    await untilReady(broker);
    await publishNumbered(broker, serverId, 6);
    await untilHeard(listener, 6);
    expect(listener.uris).toEqual(numberedUris(6, 6));
  });

  it('lives through 20 s of it with traffic, refuses in time and recovers (FIELD E5)', {
    timeout: 60_000,
  }, async () => {
    const broker = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await publishNumbered(broker, serverId, 1);
    await redis.stop();
    const until = performance.now() + 20_000;
    const attempts: Promise<PromiseSettledResult<unknown>[]>[] = [];
    while (performance.now() < until) {
      const publish = within(2_000, 'a publish to fail', broker.publish(serverId, [numbered(0)]));
      const attach = within(2_500, 'an attach to fail', broker.attach(freshServerId(), new RecordingListener()));
      attempts.push(Promise.allSettled([publish, attach]));
      await pause(50);
    }
    for (const outcome of (await Promise.all(attempts)).flat()) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'BROKER_UNAVAILABLE' } });
    }
    await redis.start();
    const upAt = performance.now();
    await untilReady(broker);
    await publishNumbered(broker, serverId, 2);
    await untilHeard(listener, 2);
    expect(performance.now() - upAt).toBeLessThan(5_000);
    expect(listener.uris).toEqual(numberedUris(1, 2));
  });

  it('opens all the same, and is ready once Redis is there (FIELD E5)', async () => {
    await redis.stop();
    const broker = brokers.publisher({ attachTimeoutMs: 100 });
    const serverId = freshServerId();
    await expect(broker.attach(serverId, new RecordingListener())).rejects.toMatchObject({
      code: 'BROKER_UNAVAILABLE',
    });
    await expect(broker.publish(serverId, [numbered(1)])).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    await redis.start();
    await untilReady(broker);
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await publishNumbered(broker, serverId, 2);
    await untilHeard(listener, 2);
  });

  it('closes at once', async () => {
    const broker = brokers.publisher();
    await untilReady(broker);
    await redis.stop();
    await untilDown(broker);
    await within(1_000, 'the close', broker.close());
  });

  it('recovers each time, whoever attaches meanwhile, and keeps two connections (FIELD E19)', async () => {
    const name = 'again';
    const broker = brokers.publisher({ name, attachTimeoutMs: 300 });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    for (let outage = 1; outage <= 4; outage += 1) {
      await redis.stop();
      const refused = [1, 2, 3].map(() => broker.attach(freshServerId(), new RecordingListener()));
      for (const attach of await Promise.allSettled(refused)) expect(attach.status).toBe('rejected');
      await redis.start();
      await untilReady(broker);
      await publishNumbered(broker, serverId, outage);
      await untilHeard(listener, outage);
    }
    expect(listener.uris).toEqual(numberedUris(1, 4));
    expect(await redisClients(redis, name)).toHaveLength(2);
    expect(await redis.cli('PUBSUB', 'CHANNELS', '*:changes')).toHaveLength(1);
  });
});

describe('the redis broker, while Redis is frozen', () => {
  it('rejects within 2 s, says so, and works again afterwards', async () => {
    const broker = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await publishNumbered(broker, serverId, 1);
    redis.pause();
    const frozenPublish = within(2_000, 'the publish to fail', broker.publish(serverId, [numbered(2)]));
    const frozenAttach = within(2_500, 'the attach to fail', broker.attach(freshServerId(), new RecordingListener()));
    await expect(frozenPublish).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    await expect(frozenAttach).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    expect(broker.status().ready).toBe(false);
    const next = within(1_000, 'the next publish to fail at once', broker.publish(serverId, [numbered(3)]));
    await expect(next).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    redis.resume();
    await untilReady(broker);
    await publishNumbered(broker, serverId, 4);
    await untilHeard(listener, 4);
    // The second had reached Redis before it froze, so it may have been carried out: that is what idempotency is for.
    expect(listener.uris.filter((uri) => uri !== numbered(2).uri)).toEqual([1, 4].map((n) => numbered(n).uri));
    expect(listener.gaps).toBe(0);
  });

  it('closes at once and rejects what is pending', async () => {
    const broker = brokers.publisher();
    await untilReady(broker);
    redis.pause();
    const publish = expect(broker.publish(freshServerId(), [numbered(1)])).rejects.toMatchObject({
      code: 'BROKER_CLOSED',
    });
    const attach = expect(broker.attach(freshServerId(), new RecordingListener())).rejects.toMatchObject({
      code: 'BROKER_CLOSED',
    });
    await within(1_000, 'the close', broker.close());
    await Promise.all([publish, attach]);
  });
});
