import { setTimeout as pause } from 'node:timers/promises';
import {
  freshServerId,
  INSTALL_MS,
  killRedisClients,
  numbered,
  numberedUris,
  openRedis,
  RecordingListener,
  type Redis,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishNumbered, TestBrokers, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';

let redis: Redis;
let brokers: TestBrokers;

beforeAll(async () => {
  redis = await openRedis();
}, INSTALL_MS);

afterAll(() => redis.close());

beforeEach(async () => {
  brokers = await TestBrokers.on(redis);
});

afterEach(() => brokers.close());

describe('the redis broker, after its connections were cut', () => {
  it('delivers what was published meanwhile, exactly once and in order', async () => {
    const caughtUp: number[] = [];
    const instance = brokers.instance({ observer: { caughtUp: (_, missed) => caughtUp.push(missed) } });
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(publisher, serverId, 1, 2);
    await untilHeard(listener, 2);
    brokers.relay.cut();
    await untilDown(instance);
    await publishNumbered(publisher, serverId, 3, 5);
    brokers.relay.restore();
    await untilHeard(listener, 5);
    await publishNumbered(publisher, serverId, 6, 6);
    await untilHeard(listener, 6);
    expect(listener.uris).toEqual(numberedUris(1, 6));
    expect(listener.gaps).toBe(0);
    expect(caughtUp).toEqual([3]);
  });

  it('says of what was published meanwhile how long ago that was', async () => {
    const instance = brokers.instance();
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    brokers.relay.cut();
    await untilDown(instance);
    await publishNumbered(publisher, serverId, 1);
    const publishedAt = performance.now();
    await pause(100);
    const awayMs = performance.now() - publishedAt;
    brokers.relay.restore();
    await untilHeard(listener, 1);
    // Redis counts whole milliseconds.
    expect(listener.agesMs[0]).toBeGreaterThan(awayMs - 2);
  });

  it('delivers what was published meanwhile with its trace', async () => {
    const instance = brokers.instance();
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    brokers.relay.cut();
    await untilDown(instance);
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'acme=1' };
    await publisher.publish(serverId, [{ kind: 'tools', trace }, { ...numbered(1), trace }, numbered(2)]);
    brokers.relay.restore();
    await untilHeard(listener, 2);
    expect(listener.heard).toStrictEqual([{ kind: 'tools', trace }, { ...numbered(1), trace }, numbered(2)]);
  });

  it('catches up over many pages of many servers', async () => {
    const instance = brokers.instance();
    const publisher = brokers.publisher();
    const servers = Array.from({ length: 40 }, () => ({
      serverId: freshServerId(),
      listener: new RecordingListener(),
    }));
    await Promise.all(servers.map(({ serverId, listener }) => instance.attach(serverId, listener)));
    brokers.relay.cut();
    await untilDown(instance);
    await Promise.all(servers.map(({ serverId }) => publishNumbered(publisher, serverId, 1, 3)));
    await publishNumbered(publisher, servers[0]!.serverId, 4, 1_300);
    brokers.relay.restore();
    await Promise.all(servers.map(({ listener }, index) => untilHeard(listener, index === 0 ? 1_300 : 3)));
    for (const [index, { listener }] of servers.entries()) {
      expect(listener.uris).toEqual(numberedUris(1, index === 0 ? 1_300 : 3));
      expect(listener.gaps).toBe(0);
    }
  });

  it('delivers one change once after its connections were killed three times (FIELD E1, E3)', async () => {
    const name = `kill-${freshServerId()}`;
    const instance = brokers.instance({ name });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    for (let kill = 0; kill < 3; kill += 1) {
      await untilReady(instance);
      await killRedisClients(redis, name);
      await untilDown(instance);
    }
    await untilReady(instance);
    await instance.publish(serverId, [numbered(1), numbered(2)]);
    await untilHeard(listener, 2);
    expect(listener.heard).toEqual([numbered(1), numbered(2)]);
  });

  it('loses and repeats nothing while its connections are killed again and again under traffic', async () => {
    const name = `hammer-${freshServerId()}`;
    const instance = brokers.instance({ name });
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await untilReady(publisher);
    let last = 0;
    let stopped = false;
    const hammering = (async () => {
      while (!stopped) {
        last += 1;
        await publishNumbered(publisher, serverId, last, last);
      }
    })();
    for (let kill = 0; kill < 8; kill += 1) {
      await killRedisClients(redis, name);
      await untilDown(instance);
      await untilReady(instance);
    }
    stopped = true;
    await hammering;
    await untilHeard(listener, last);
    expect(listener.uris).toEqual(numberedUris(1, last));
    expect(listener.gaps).toBe(0);
  });

  it('keeps a newcomer waiting until it is certain again', async () => {
    const instance = brokers.instance();
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    await instance.attach(serverId, new RecordingListener());
    brokers.relay.cut();
    await untilDown(instance);
    const newcomer = new RecordingListener();
    const attached = instance.attach(serverId, newcomer);
    await publishNumbered(publisher, serverId, 1, 1);
    brokers.relay.restore();
    await attached;
    await publishNumbered(publisher, serverId, 2, 2);
    await untilHeard(newcomer, 2);
    expect(newcomer.uris).toEqual(numberedUris(2, 2));
  });

  it('rejects an attach within its time, also of a server that was attached before', async () => {
    const instance = brokers.instance({ attachTimeoutMs: 200 });
    const serverId = freshServerId();
    await instance.attach(serverId, new RecordingListener());
    brokers.relay.cut();
    await untilDown(instance);
    await expect(instance.attach(serverId, new RecordingListener())).rejects.toMatchObject({
      code: 'BROKER_UNAVAILABLE',
    });
    await expect(instance.attach(freshServerId(), new RecordingListener())).rejects.toMatchObject({
      code: 'BROKER_UNAVAILABLE',
    });
    const closing = expect(instance.attach(serverId, new RecordingListener())).rejects.toMatchObject({
      code: 'BROKER_CLOSED',
    });
    await instance.close();
    await closing;
  });

  it('is replaced when the receive connection is dead and nobody says so (FIELD E1)', async () => {
    const instance = brokers.instance({ probeMs: 100 });
    const publisher = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await untilReady(instance);
    brokers.relay.freeze();
    await publishNumbered(publisher, serverId, 1, 1);
    await untilHeard(listener, 1);
    expect(listener.heard).toEqual([numbered(1)]);
  });
});
