import {
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedisProcess,
  openRedisReplica,
  RecordingListener,
  type RedisProcess,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';

const NOTICED_MS = 10_000;

let redis: RedisProcess;
let brokers: TestBrokers;

beforeEach(async () => {
  // Lets a test make it a master whose data has become another, as after a failover.
  redis = await openRedisProcess({ args: ['--enable-debug-command', 'local'] });
  brokers = await TestBrokers.on(redis);
}, INSTALL_MS);

afterEach(async () => {
  await brokers.close();
  await redis.close();
});

describe('the redis broker, at a master that is one no more', () => {
  it('notices within 10 s although no connection breaks and nothing is published, and is ready once it is one again', async () => {
    const broker = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const other = await openRedisProcess();
    try {
      const from = performance.now();
      await redis.cli('REPLICAOF', '127.0.0.1', String(other.port));
      await untilDown(broker, NOTICED_MS);
      expect(performance.now() - from).toBeLessThan(NOTICED_MS);
      expect(broker.status()).toMatchObject({ reason: expect.stringContaining('Redis is not reachable') });
      await redis.cli('REPLICAOF', 'NO', 'ONE');
      await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
      await publishNumbered(broker, serverId, 1);
      await untilHeard(listener, 1);
    } finally {
      await other.close();
    }
  });

  it('notices within 10 s that it is frozen although nothing is published', async () => {
    const broker = brokers.publisher();
    await untilReady(broker);
    redis.pause();
    await untilDown(broker, NOTICED_MS);
    redis.resume();
    await untilReady(broker);
  });

  it('gives the connections up at the first write that is refused', async () => {
    const broker = brokers.publisher({ probeMs: 60_000 });
    await untilReady(broker);
    const replica = await openRedisReplica(redis);
    try {
      await redis.cli('REPLICAOF', '127.0.0.1', String(replica.port));
      await expect(broker.publish(freshServerId(), [numbered(1)])).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^READONLY/) },
      });
      expect(broker.status().ready).toBe(false);
    } finally {
      await replica.close();
    }
  });
});

describe('the redis broker, when a failover ate a change that it had accepted', () => {
  it('has every instance report a gap, also one that found the new master before the publisher did', async () => {
    const lost: string[] = [];
    const publisher = brokers.instance({ probeMs: 100, observer: { lost: (serverId) => lost.push(serverId) } });
    const [serverId, other] = [freshServerId(), freshServerId()];
    await publishNumbered(publisher, serverId, 1);
    await publishNumbered(publisher, other, 1);
    brokers.relay.cut();
    await untilDown(publisher);
    await redis.cli('DEBUG', 'CHANGE-REPL-ID');
    await redis.cli('DEL', `lg:1:{${serverId}}:journal`, `lg:1:{${serverId}}:last`);
    const instance = brokers.publisher();
    const [listener, otherListener] = [new RecordingListener(), new RecordingListener()];
    await instance.attach(serverId, listener);
    await instance.attach(other, otherListener);
    expect(listener.heard).toEqual([]);
    brokers.relay.restore();
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    await publishNumbered(publisher, serverId, 2);
    await publishNumbered(publisher, other, 2);
    await untilHeard(listener, 2);
    await untilHeard(otherListener, 2);
    expect(listener.heard).toEqual(['gap', numbered(2)]);
    // What survived is no reason to trouble anybody.
    expect(otherListener.heard).toEqual([numbered(2)]);
    expect(lost).toEqual([serverId]);
  });

  it('does so too when it has published again before it could look', async () => {
    const publisher = brokers.instance({ probeMs: 60_000 });
    const serverId = freshServerId();
    await publishNumbered(publisher, serverId, 1);
    brokers.relay.cut();
    await untilDown(publisher);
    await redis.cli('DEBUG', 'CHANGE-REPL-ID');
    await redis.cli('DEL', `lg:1:{${serverId}}:journal`, `lg:1:{${serverId}}:last`);
    const listener = new RecordingListener();
    await brokers.publisher().attach(serverId, listener);
    brokers.relay.restore();
    await publishNumbered(publisher, serverId, 2);
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    await publishNumbered(publisher, serverId, 3);
    await untilHeard(listener, 3);
    expect(listener.heard).toEqual([numbered(2), 'gap', numbered(3)]);
  });
});
