import {
  eventually,
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedis,
  RecordingListener,
  type Redis,
  redisClients,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilHeard, untilReady } from '../test/test-brokers.ts';

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

describe('the redis broker', () => {
  it('needs two connections, however many servers and listeners there are (FIELD E10)', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const name = `many-${freshServerId()}`;
    const instance = brokers.instance({ name });
    await untilReady(instance);
    expect(await redisClients(redis, name)).toHaveLength(2);
    const serverId = freshServerId();
    const listeners = Array.from({ length: 200 }, () => new RecordingListener());
    await Promise.all(listeners.map((listener) => instance.attach(serverId, listener)));
    await Promise.all(listeners.map(() => instance.attach(freshServerId(), new RecordingListener())));
    const outcome = await instance.publish(serverId, [numbered(1)]);
    expect(outcome).toMatchObject({ receipts: [{ instances: 1 }] });
    for (const listener of listeners) {
      await untilHeard(listener, 1);
      expect(listener.heard).toEqual([numbered(1)]);
    }
    expect(await redisClients(redis, name)).toHaveLength(2);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('publishes on another connection than the one that it receives on (FIELD E17)', async () => {
    const name = `apart-${freshServerId()}`;
    const instance = brokers.publisher({ name, probeMs: 60_000 });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(instance, serverId, 1, 3);
    await untilHeard(listener, 3);
    const list = String(await redis.cli('CLIENT', 'LIST')).split('\n');
    const [commands, receive] = ['commands', 'receive'].map((role) =>
      list.find((line) => line.includes(`${name}:${role} `)),
    );
    expect(commands).toMatch(/ sub=0 .* cmd=eval/);
    // The server's channel and the probe's.
    expect(receive).toMatch(/ sub=2 /);
  });

  it('leaves no connection and no channel behind when it is closed', async () => {
    const prefix = `t:${freshServerId()}:`;
    const name = `close-${freshServerId()}`;
    const lost: unknown[] = [];
    const instance = brokers.instance({ name, prefix, observer: { disconnected: (role) => lost.push(role) } });
    await untilReady(instance);
    for (let n = 0; n < 20; n += 1) await instance.attach(freshServerId(), new RecordingListener());
    expect(await redis.cli('PUBSUB', 'CHANNELS', `${prefix}*`)).toHaveLength(21);
    await instance.close();
    expect(lost, 'a close that was asked for is no news').toEqual([]);
    await eventually(ARRIVAL_MS, 'the connections to end', async () => (await redisClients(redis, name)).length === 0);
    expect(await redis.cli('PUBSUB', 'CHANNELS', `${prefix}*`)).toEqual([]);
  });

  it('leaves a channel a while after its last listener left, and not before', async () => {
    const prefix = `t:${freshServerId()}:`;
    const instance = brokers.instance({ prefix, lingerMs: 1_000 });
    await untilReady(instance);
    const channels = () => redis.cli('PUBSUB', 'CHANNELS', `${prefix}*:changes`);
    const detach = await instance.attach(freshServerId(), new RecordingListener());
    detach();
    expect(await channels()).toHaveLength(1);
    await eventually(ARRIVAL_MS, 'the channel to be left', async () => String(await channels()) === '');
  });

  it('hears of nothing under another prefix', async () => {
    const serverId = freshServerId();
    const [one, other] = [brokers.instance({ prefix: 'one:' }), brokers.instance({ prefix: 'other:' })];
    const listener = new RecordingListener();
    await one.attach(serverId, listener);
    await untilReady(other);
    await publishNumbered(other, serverId, 1, 1);
    await publishNumbered(one, serverId, 2, 2);
    await untilHeard(listener, 2);
    expect(listener.heard).toEqual([numbered(2)]);
  });
});
