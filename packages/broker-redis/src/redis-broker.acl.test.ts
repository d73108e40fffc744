import { readFile } from 'node:fs/promises';
import {
  eventually,
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedisProcess,
  RecordingListener,
  type RedisProcess,
  within,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';

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

describe('the redis broker, without the right to subscribe', () => {
  it('refuses attaches, is not ready, and recovers once it may (FIELD E14)', async () => {
    const refused: string[] = [];
    const admin = ['ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@all'];
    await redis.cli(...admin, 'resetchannels');
    const url = redis.url.replace('//', '//limited:secret@');
    const broker = brokers.publisher({ url, observer: { refused: (channel) => refused.push(channel) } });
    const serverId = freshServerId();
    const attach = within(1_000, 'the refusal', broker.attach(serverId, new RecordingListener()));
    await expect(attach).rejects.toMatchObject({
      code: 'BROKER_UNAVAILABLE',
      cause: { message: expect.stringContaining('NOPERM') },
    });
    expect(broker.status().ready).toBe(false);
    expect(refused.some((channel) => channel.includes(serverId))).toBe(true);
    await redis.cli(...admin, 'allchannels');
    await untilReady(broker);
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await publishNumbered(broker, serverId, 1);
    await untilHeard(listener, 1);
  });

  it('says so when a server that has listeners cannot be subscribed any more', async () => {
    const admin = ['ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@all', 'resetchannels'];
    await redis.cli(...admin, '&*');
    const broker = brokers.publisher({ url: redis.url.replace('//', '//limited:secret@') });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    // Redis ends the connections that hold a subscription the user has lost.
    await redis.cli(...admin, '&*:probe');
    await eventually(ARRIVAL_MS, 'the refusal', () => {
      const status = broker.status();
      return !status.ready && status.reason.includes('refuses to subscribe');
    });
    await redis.cli(...admin, '&*');
    await untilReady(broker);
    await publishNumbered(broker, serverId, 1);
    await untilHeard(listener, 1);
  });
});

describe('the redis broker, with the rights that docs/redis-format.md names', () => {
  it('receives, publishes and catches up', async () => {
    const text = await readFile(new URL('../../../docs/redis-format.md', import.meta.url), 'utf8');
    const [, rights = ''] = text.split('## Rights');
    const words = [...rights.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/\s+/));
    expect(words).toContain('+evalsha');
    await redis.cli('ACL', 'SETUSER', 'documented', 'reset', 'on', '>secret', ...words);
    const withUser = (url: string) => url.replace('//', '//documented:secret@');
    const instance = brokers.instance({ url: withUser(brokers.relay.url) });
    const publisher = brokers.publisher({ url: withUser(redis.url) });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await untilReady(publisher);
    await publisher.publish(serverId, [numbered(1)], { key: 'k', fingerprint: 'f' });
    await publisher.publish(serverId, [numbered(1)], { key: 'k', fingerprint: 'f' });
    await untilHeard(listener, 1);
    brokers.relay.cut();
    await untilDown(instance);
    await publishNumbered(publisher, serverId, 2);
    brokers.relay.restore();
    await untilHeard(listener, 2);
    expect(listener.heard).toEqual([numbered(1), numbered(2)]);
  });
});
