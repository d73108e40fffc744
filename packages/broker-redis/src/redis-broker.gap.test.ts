import { freshServerId, INSTALL_MS, numbered, openRedis, RecordingListener, type Redis } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilDown, untilHeard } from '../test/test-brokers.ts';
import { DEFAULT_PREFIX, redisKeys } from './redis-keys.ts';

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

describe('the redis broker, when the journal cannot tell what was missed', () => {
  it('reports a gap if the journal was trimmed past the last change seen', async () => {
    const journal = { length: 100, ageMs: 60_000 };
    const instance = brokers.instance();
    const publisher = brokers.publisher({ journal });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(publisher, serverId, 1, 1);
    await untilHeard(listener, 1);
    brokers.relay.cut();
    await untilDown(instance);
    await publishNumbered(publisher, serverId, 2, 500);
    brokers.relay.restore();
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    await publishNumbered(publisher, serverId, 501, 502);
    await untilHeard(listener, 502);
    expect(listener.heard).toEqual([numbered(1), 'gap', numbered(501), numbered(502)]);
  });

  it.each([['later'], ['earlier']])(
    'reports a gap if the journal began again with %s ids while connected',
    async (when) => {
      const gaps: string[] = [];
      const instance = brokers.instance({ observer: { gap: (serverId) => gaps.push(serverId) } });
      const serverId = freshServerId();
      const listener = new RecordingListener();
      await instance.attach(serverId, listener);
      await publishNumbered(instance, serverId, 1, 2);
      await untilHeard(listener, 2);
      const keys = redisKeys(DEFAULT_PREFIX, serverId);
      await redis.cli('DEL', keys.journal, keys.last);
      if (when === 'later') {
        await publishNumbered(instance, serverId, 3, 3);
      } else {
        const change = JSON.stringify({ method: 'notifications/resources/updated', params: { uri: numbered(3).uri } });
        await redis.cli('XADD', keys.journal, '1000-0', 'prev', '0-0', 'change', change);
        await redis.cli('SET', keys.last, '1000-0');
        await redis.cli('PUBLISH', keys.channel, `{"v":1,"id":"1000-0","prev":"0-0","change":${change}}`);
      }
      await listener.until(ARRIVAL_MS, 'the gap', (heard) => heard.gaps > 0);
      await publishNumbered(instance, serverId, 4, 4);
      await untilHeard(listener, 4);
      expect(listener.heard).toEqual([numbered(1), numbered(2), 'gap', numbered(4)]);
      expect(gaps).toEqual([serverId]);
    },
  );

  it('delivers what reached the journal and not the channel', async () => {
    const instance = brokers.instance();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(instance, serverId, 1, 1);
    await untilHeard(listener, 1);
    const keys = redisKeys(DEFAULT_PREFIX, serverId);
    const last = String(await redis.cli('GET', keys.last));
    const change = JSON.stringify({ method: 'notifications/resources/updated', params: { uri: numbered(2).uri } });
    await redis.cli('XADD', keys.journal, '*', 'prev', last, 'change', change);
    await publishNumbered(instance, serverId, 3, 3);
    await untilHeard(listener, 3);
    expect(listener.heard).toEqual([numbered(1), numbered(2), numbered(3)]);
  });
});

describe('the redis broker, given what is no change', () => {
  it('skips it, counts it and delivers the next change (FIELD E15)', async () => {
    const bad: string[] = [];
    const instance = brokers.instance({ observer: { badPayload: (serverId) => bad.push(serverId) } });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    const { channel } = redisKeys(DEFAULT_PREFIX, serverId);
    const payloads = ['x', 'null', '[]', '{}', '{"type":1}', Buffer.from([0xff, 0x00, 0xfe]), '['.repeat(1_048_576)];
    for (const payload of payloads) await redis.cli('PUBLISH', channel, payload);
    await publishNumbered(instance, serverId, 1, 1);
    await untilHeard(listener, 1);
    expect(listener.heard).toEqual([numbered(1)]);
    expect(bad).toEqual(payloads.map(() => serverId));
  });
});
