import { setTimeout as pause } from 'node:timers/promises';
import {
  freshServerId,
  INSTALL_MS,
  makeRedisCertificates,
  numbered,
  openRedisCluster,
  openRedisProcess,
  openRedisSentinels,
  RecordingListener,
  type RedisCertificates,
  RedisSentinels,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishNumbered, untilHeard } from '../test/test-brokers.ts';
import { RedisBroker } from './redis-broker.ts';
import type { RedisBrokerOptions } from './redis-options.ts';

let tls: RedisCertificates;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  tls = await makeRedisCertificates();
}, INSTALL_MS);
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => tls.close());

async function carries(options: RedisBrokerOptions): Promise<void> {
  const broker = new RedisBroker({ tls: { caFile: tls.caFile, ...tls.client }, ...options });
  closing.push(() => broker.close());
  const serverId = freshServerId();
  const listener = new RecordingListener();
  await broker.attach(serverId, listener);
  await publishNumbered(broker, serverId, 1);
  await untilHeard(listener, 1);
  expect(listener.heard).toEqual([numbered(1)]);
}

describe('the redis broker over TLS', () => {
  it('carries changes over a Redis that knows its clients by certificate', async () => {
    const redis = await openRedisProcess({ tls });
    closing.push(() => redis.close());
    await carries({ url: redis.tlsUrl });
    await carries({ url: redis.tlsUrl, tls: { caFile: tls.caFile, ...tls.client, serverName: 'redis.test' } });
  });

  it.each([
    ['an authority that it was not told to trust', () => ({ ...tls.client })],
    ['another name', () => ({ caFile: tls.caFile, ...tls.client, serverName: 'other.test' })],
    ['no certificate of its own', () => ({ caFile: tls.caFile })],
  ])('is not ready with %s', async (_, files) => {
    const redis = await openRedisProcess({ tls });
    closing.push(() => redis.close());
    const failures: unknown[] = [];
    const observer = { disconnected: (_role: unknown, cause: unknown) => failures.push(cause) };
    const broker = new RedisBroker({ url: redis.tlsUrl, tls: files(), attachTimeoutMs: 500, observer });
    closing.push(() => broker.close());
    const attach = broker.attach(freshServerId(), new RecordingListener());
    await expect(attach).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    expect(failures).not.toEqual([]);
    expect(broker.status().ready).toBe(false);
  });

  it('ends in peace whenever it is closed, also amid a handshake that fails', async () => {
    const redis = await openRedisProcess({ tls });
    closing.push(() => redis.close());
    for (let round = 0; round < 40; round += 1) {
      // Certificates are told apart by the end that looks at them first.
      const files = round % 2 ? tls.client : { caFile: tls.caFile };
      const broker = new RedisBroker({ url: redis.tlsUrl, tls: files });
      await pause(round);
      await broker.close();
    }
  });

  it('asks sentinels and the master that they name', async () => {
    const redis = await openRedisSentinels({ tls });
    closing.push(() => redis.close());
    await carries({ url: `rediss://${RedisSentinels.MASTER}`, mode: 'sentinel', nodes: redis.tlsAddresses });
  });

  it('goes to every node of a cluster', async () => {
    const cluster = await openRedisCluster({ tls });
    closing.push(() => cluster.close());
    const [node = '', ...nodes] = cluster.tlsAddresses;
    for (let time = 0; time < 4; time += 1) await carries({ url: `rediss://${node}`, mode: 'cluster', nodes });
  });
});
