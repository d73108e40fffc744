import {
  ensureRedis,
  eventually,
  freshServerId,
  INSTALL_MS,
  numbered,
  numberedUris,
  openRedisCluster,
  openRedisProcess,
  openRedisReplica,
  openRedisSentinels,
  openTcpRelay,
  REDIS_PROGRAMS,
  RecordingListener,
  type Redis,
  RedisSentinels,
} from '@listen-gateway/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentedUsers, refusals } from '../test/documented-users.ts';
import { ARRIVAL_MS, publishNumbered, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';
import { openLimits } from './limits/open-limits.ts';
import { RedisBroker } from './redis-broker.ts';
import { DEFAULT_PREFIX, redisKeys } from './redis-keys.ts';
import type { RedisBrokerOptions } from './redis-options.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Lets the tests make a Redis believe that its data has become another. */
const FORGET = ['--enable-debug-command', 'local'];

/** The servers of which a publisher found that a change was lost. */
const lost = new Set<string>();

function broker(options: RedisBrokerOptions): RedisBroker {
  const observer = { lost: (serverId: string) => lost.add(serverId) };
  const opened = new RedisBroker({ password: 'secret', probeMs: 200, observer, ...options });
  closing.push(() => opened.close());
  return opened;
}

/** Does all that a gateway and a publisher do, over a failover that eats a change as well. */
async function exercise(gateway: RedisBroker, publisher: RedisBroker, master: () => Promise<Redis>): Promise<void> {
  const serverId = freshServerId();
  const keys = redisKeys(DEFAULT_PREFIX, serverId);
  const listener = new RecordingListener();
  await gateway.attach(serverId, listener);
  await publishNumbered(publisher, serverId, 1);
  await untilHeard(listener, 1);
  for (let time = 0; time < 2; time += 1) {
    await publisher.publish(serverId, [numbered(2)], { key: 'k', fingerprint: 'f' });
  }
  await untilHeard(listener, 2);
  expect(listener.uris).toEqual(numberedUris(1, 2));
  await (await master()).cli('DEL', keys.journal, keys.last);
  await (await master()).cli('DEBUG', 'CHANGE-REPL-ID');
  // One gap may speak of both.
  await eventually(ARRIVAL_MS, 'what each side does', () => listener.gaps > 0 && lost.has(serverId));
  await Promise.all([gateway, publisher].map(untilReady));
}

async function exerciseLimits(options: RedisBrokerOptions): Promise<void> {
  const limits = openLimits({ password: 'secret', ...options });
  closing.push(() => limits.close());
  const rate = limits.rate('r', { points: 5, seconds: 10 });
  await limits.shares.claim('ann', 3);
  limits.shares.release('ann');
  await rate.take('ann');
}

describe.each(REDIS_PROGRAMS)('the users that docs/redis.md names, at %s', (program) => {
  beforeAll(() => ensureRedis(program), INSTALL_MS);

  it('suffice on a single Redis, whose connections break and which has a replica to wait for', async () => {
    const redis = await openRedisProcess({ program, args: FORGET });
    closing.push(() => redis.close());
    const replica = await openRedisReplica(redis, { program });
    closing.push(() => replica.close());
    const relay = await openTcpRelay(redis.url);
    closing.push(() => relay.close());
    await createDocumentedUsers([redis], 'gateway', 'publisher');
    const gateway = broker({ url: relay.url, username: 'gateway' });
    const publisher = broker({ url: redis.url, username: 'publisher', minReplicas: 1 });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await gateway.attach(serverId, listener);
    relay.cut();
    await untilDown(gateway);
    await publishNumbered(publisher, serverId, 1);
    relay.restore();
    await untilHeard(listener, 1);
    await exercise(gateway, publisher, async () => redis);
    await exerciseLimits({ url: redis.url, username: 'gateway' });
    expect(await refusals([redis])).toEqual([]);
  });

  it('suffice on a cluster', async () => {
    const cluster = await openRedisCluster({ program, args: FORGET });
    closing.push(() => cluster.close());
    await createDocumentedUsers(cluster.nodes, 'gateway', 'publisher');
    const [url = '', ...nodes] = cluster.addresses;
    const place = { url: `redis://${url}`, nodes, mode: 'cluster' } as const;
    const gateway = broker({ ...place, username: 'gateway' });
    const publisher = broker({ ...place, username: 'publisher' });
    await Promise.all([gateway, publisher].map(untilReady));
    const serverId = freshServerId();
    const { channel } = redisKeys(DEFAULT_PREFIX, serverId);
    const listener = new RecordingListener();
    await gateway.attach(serverId, listener);
    await cluster.moveSlot(channel, await cluster.masterBeside(channel));
    await publishNumbered(publisher, serverId, 1);
    await untilHeard(listener, 1);
    await exerciseLimits({ ...place, username: 'gateway' });
    expect(await refusals(cluster.nodes)).toEqual([]);
  });

  it('suffice with sentinels that ask for a user too', async () => {
    const redis = await openRedisSentinels({ program });
    closing.push(() => redis.close());
    await createDocumentedUsers(redis.servers, 'gateway');
    await createDocumentedUsers(redis.sentinels, 'watcher');
    // Redis 7.0 knows no such command, and refuses to grant it.
    for (const one of redis.sentinels) await one.cli('ACL', 'SETUSER', 'watcher', '+client|setinfo').catch(() => {});
    const gateway = broker({
      url: `redis://gateway@${RedisSentinels.MASTER}`,
      mode: 'sentinel',
      nodes: redis.addresses,
      sentinel: { username: 'watcher', password: 'secret' },
    });
    const listener = new RecordingListener();
    await gateway.attach(freshServerId(), listener);
    await redis.failOver();
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    expect(await refusals([...redis.servers, ...redis.sentinels])).toEqual([]);
  });

  it('may do no more than they need', async () => {
    const redis = await openRedisProcess({ program });
    closing.push(() => redis.close());
    await createDocumentedUsers([redis], 'gateway', 'publisher');
    const may = async (user: string, ...command: string[]) =>
      (await redis.cli('ACL', 'DRYRUN', user, ...command)) === 'OK';
    const [journal, channel, probe] = ['lg:1:{a}:journal', 'lg:1:{a}:changes', 'lg:1:{probe-x}:probe'];
    expect(await may('gateway', 'PUBLISH', probe, 'x')).toBe(true);
    expect(await may('gateway', 'PUBLISH', channel, 'x')).toBe(false);
    expect(await may('gateway', 'XADD', journal, '*', 'a', 'b')).toBe(false);
    expect(await may('gateway', 'GET', 'lg:1:{a}:idem:0')).toBe(false);
    expect(await may('gateway', 'SUBSCRIBE', channel)).toBe(true);
    expect(await may('publisher', 'PUBLISH', channel, 'x')).toBe(true);
    expect(await may('publisher', 'SUBSCRIBE', channel)).toBe(false);
    expect(await may('publisher', 'SUBSCRIBE', probe)).toBe(true);
    for (const user of ['gateway', 'publisher']) {
      expect(await may(user, 'GET', 'other')).toBe(false);
      expect(await may(user, 'SUBSCRIBE', 'other')).toBe(false);
      expect(await may(user, 'FLUSHALL')).toBe(false);
      expect(await may(user, 'CONFIG', 'GET', '*')).toBe(false);
    }
  });
});
