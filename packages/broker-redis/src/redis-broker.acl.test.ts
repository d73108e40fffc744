import {
  eventually,
  freshServerId,
  INSTALL_MS,
  openRedisProcess,
  RecordingListener,
  type RedisProcess,
  within,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilHeard, untilReady } from '../test/test-brokers.ts';

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

  it('says so when it can try the way of a change no more', async () => {
    const admin = ['ACL', 'SETUSER', 'limited'];
    await redis.cli(...admin, 'on', '>secret', '~*', '&*', '+@all');
    const broker = brokers.publisher({ url: redis.url.replace('//', '//limited:secret@'), probeMs: 100 });
    await untilReady(broker);
    await redis.cli(...admin, '-publish');
    await eventually(ARRIVAL_MS, 'the refusal', () => {
      const status = broker.status();
      return !status.ready && status.reason.startsWith('Redis refuses a probe: NOPERM');
    });
    await redis.cli(...admin, '+publish');
    await untilReady(broker);
  });
});
