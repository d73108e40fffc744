import { readFile } from 'node:fs/promises';
import {
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedis,
  REDIS_PROGRAMS,
  RecordingListener,
  type Redis,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishNumbered, TestBrokers, untilHeard, untilReady } from '../test/test-brokers.ts';
import { PUBLISH_LUA } from './publish-script.ts';
import { DEFAULT_PREFIX, redisKeys } from './redis-keys.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PUBLIC_SCRIPT = new URL('../../../docs/redis-publish.lua', import.meta.url);

describe.each(REDIS_PROGRAMS)('%s:', (program) => {
  let redis: Redis;
  let brokers: TestBrokers;

  beforeAll(async () => {
    redis = await openRedis(program);
  }, INSTALL_MS);

  afterAll(() => redis.close());

  beforeEach(async () => {
    brokers = await TestBrokers.on(redis);
  });

  afterEach(() => brokers.close());

  describe('the public script', () => {
    it('is the one that the broker runs', async () => {
      expect(await readFile(PUBLIC_SCRIPT, 'utf8')).toBe(PUBLISH_LUA);
    });

    it('publishes from any language that can run it', async () => {
      const broker = brokers.publisher();
      const serverId = freshServerId();
      const listener = new RecordingListener();
      await broker.attach(serverId, listener);
      await publishNumbered(broker, serverId, 1);
      const { journal, last, channel } = redisKeys(DEFAULT_PREFIX, serverId);
      const settings = ['PUBLISH', '10000', '3600000', '2592000000', '3600000', ''];
      const changes = [
        '{"method":"notifications/resources/updated","params":{"uri":"test://2"}}',
        '{"method":"notifications/tools/list_changed","audience":{"subjects":["user-123"]}}',
        `{"method":"notifications/prompts/list_changed","params":{"_meta":{"traceparent":"${TRACEPARENT}","more":1}}}`,
      ];
      const script = await readFile(PUBLIC_SCRIPT, 'utf8');
      const reply = await redis.cli('EVAL', script, '3', journal, last, channel, ...settings, ...changes);
      expect(reply).toEqual(['published', expect.stringMatching(/^\d+-\d+ 1 \d+-\d+ 1 \d+-\d+ 1$/)]);
      await publishNumbered(broker, serverId, 3);
      await untilHeard(listener, 3);
      const prompts = { kind: 'prompts', trace: { traceparent: TRACEPARENT } };
      const tools = { kind: 'tools', audience: { subjects: ['user-123'] } };
      expect(listener.heard).toEqual([numbered(1), numbered(2), tools, prompts, numbered(3)]);
    });
  });

  describe('what the redis broker leaves in Redis', () => {
    it('is a journal whose entries name their predecessor, and the latest id', async () => {
      const broker = brokers.publisher();
      await untilReady(broker);
      const serverId = freshServerId();
      const { journal, last } = redisKeys(DEFAULT_PREFIX, serverId);
      const outcome = await broker.publish(serverId, [numbered(1), { kind: 'tools' }]);
      const [first = '', second = ''] =
        outcome.kind === 'published' ? outcome.receipts.map(({ journalId }) => journalId) : [];
      expect(await redis.cli('XRANGE', journal, '-', '+')).toEqual([
        [first, ['prev', '0-0', 'change', '{"method":"notifications/resources/updated","params":{"uri":"test://1"}}']],
        [second, ['prev', first, 'change', '{"method":"notifications/tools/list_changed"}']],
      ]);
      expect(await redis.cli('GET', last)).toBe(second);
    });

    it('is bounded in length and age, and goes away by itself', async () => {
      const broker = brokers.publisher({ journal: { length: 100, ageMs: 60_000 }, idempotencyTtlMs: 30_000 });
      await untilReady(broker);
      const serverId = freshServerId();
      const { journal, last, idempotency } = redisKeys(DEFAULT_PREFIX, serverId);
      await redis.cli('XADD', journal, '1000-0', 'prev', '0-0', 'change', '{}');
      await publishNumbered(broker, serverId, 1, 500);
      await broker.publish(serverId, [numbered(501)], { key: 'k', fingerprint: 'f' });
      // Redis trims by whole nodes of a hundred entries.
      expect(Number(await redis.cli('XLEN', journal))).toBeLessThan(200);
      const ttl = async (key: string) => Number(await redis.cli('PTTL', key));
      expect(await ttl(journal)).toSatisfy((ms: number) => ms > 50_000 && ms <= 60_000);
      expect(await ttl(idempotency('k'))).toSatisfy((ms: number) => ms > 20_000 && ms <= 30_000);
      expect(await ttl(last)).toBeGreaterThan(24 * 60 * 60_000);
    });

    it('counts on from the latest id when the clock of Redis is behind it', async () => {
      const broker = brokers.publisher();
      await untilReady(broker);
      const serverId = freshServerId();
      const farAhead = '9999999999999-7';
      await redis.cli('SET', redisKeys(DEFAULT_PREFIX, serverId).last, farAhead);
      const outcome = await broker.publish(serverId, [numbered(1)]);
      expect(outcome).toMatchObject({ receipts: [{ journalId: '9999999999999-8' }] });
    });
  });
});
