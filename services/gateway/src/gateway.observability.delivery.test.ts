import { RedisBroker } from '@listen-gateway/broker-redis';
import type { Broker } from '@listen-gateway/core';
import {
  eventually,
  freshServerId,
  INSTALL_MS,
  openRedis,
  type Redis,
  TEST_SERVER,
  within,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DoomedHosts } from '../test/doomed-hosts.ts';
import { fillUp, openGateway, type TestGateway } from '../test/test-gateway.ts';

/** As long as one may be by default, so that a few of them fill every buffer on the way. */
const URIS = Array.from({ length: 100 }, (_, index) => `file:///${index}`.padEnd(8_192, 'x'));
const filter = { resourceSubscriptions: URIS };

/** Opens a stream whose host then reads nothing, and fills it up. */
async function openStalled(gateway: TestGateway) {
  const stalled = await gateway.open({ filter });
  stalled.pause();
  await fillUp(gateway, URIS);
  return stalled;
}

const shows = (gateway: TestGateway, series: string, value: number) =>
  eventually(10_000, `${series} to be ${value}`, async () => (await gateway.metric(series)) === value);

describe('the gauges of hosts that do not read', () => {
  it('count streams and what they owe while they are blocked, and nothing once their hosts read again', async () => {
    const gateway = await openGateway();
    const reading = await gateway.open({ filter });
    const stalled = await openStalled(gateway);
    await shows(gateway, 'lg_streams_blocked', 1);
    await gateway.publish(URIS.map((uri) => ({ kind: 'resource', uri }) as const));
    await shows(gateway, 'lg_outbox_notifications', URIS.length);
    stalled.resume();
    await shows(gateway, 'lg_streams_blocked', 0);
    await shows(gateway, 'lg_outbox_notifications', 0);
    reading.close();
  });

  it('count nothing of hosts that are over, however they ended (FIELD F13)', async () => {
    const gateway = await openGateway({ stream: { stallMs: 400 } });
    await openStalled(gateway);
    await gateway.holds(0);
    expect(gateway.closeReasons).toEqual(['slow-host']);
    const leaver = await openStalled(gateway);
    leaver.reset();
    await gateway.holds(0);
    for (const series of ['lg_streams_blocked', 'lg_outbox_notifications', 'lg_servers_attached']) {
      expect([series, await gateway.metric(series)]).toEqual([series, 0]);
    }
  });
});

describe('the gauges of streams', () => {
  it('say how many an instance may hold, and of how many servers it has some', async () => {
    const servers = { default: {}, 'acme-ops': {} };
    const gateway = await openGateway({ servers, limits: { streamsPerInstance: 7 } });
    expect(await gateway.metric('lg_streams_limit')).toBe(7);
    const streams = [await gateway.open(), await gateway.open()];
    expect(await gateway.metric('lg_servers_attached')).toBe(1);
    streams.push(await gateway.open({}, `${gateway.url}/acme-ops`));
    expect(await gateway.metric('lg_servers_attached')).toBe(2);
    for (const stream of streams) stream.close();
    await shows(gateway, 'lg_servers_attached', 0);
  });

  it('return to 0 whether hosts end by FIN, by RST or by kill -9, and every end is counted once (FIELD F13)', async () => {
    const gateway = await openGateway();
    for (let round = 0; round < 3; round += 1) {
      const hosts = await Promise.all(Array.from({ length: 20 }, () => gateway.open()));
      const doomed = await DoomedHosts.open(gateway.url, 10);
      expect(await gateway.metric('lg_streams_open')).toBe(30);
      for (const [index, host] of hosts.entries()) index % 2 === 0 ? host.close() : host.reset();
      await doomed.kill();
      await gateway.holds(0);
    }
    expect(await gateway.metric('lg_streams_opened_total')).toBe(90);
    expect(await gateway.metric('lg_streams_closed_total{reason="host-gone"}')).toBe(90);
    expect(await gateway.metric('lg_stream_age_seconds_count')).toBe(90);
  });
});

describe('the time from publish to write', () => {
  let redis: Redis;
  const brokers: Broker[] = [];

  beforeAll(async () => {
    redis = await openRedis();
  }, INSTALL_MS);

  afterAll(() => redis.close());

  afterEach(async () => {
    for (const broker of brokers.splice(0)) await within(5_000, 'the end of the broker', broker.close());
  });

  const openBroker = (prefix: string): Broker => {
    const broker = new RedisBroker({ url: redis.url, prefix });
    brokers.push(broker);
    return broker;
  };

  it.each([
    ['in memory', () => undefined],
    ['over Redis', () => `t:${freshServerId()}:`],
  ])('is of each change once, however many streams it goes to: %s', async (_broker, prefixOf) => {
    const prefix = prefixOf();
    const gateway = await openGateway({}, prefix === undefined ? {} : { inner: openBroker(prefix) });
    const publisher = prefix === undefined ? gateway.broker : openBroker(prefix);
    const streams = await Promise.all(Array.from({ length: 5 }, () => gateway.open()));
    await eventually(5_000, 'the publisher to be ready', () => publisher.status().ready);

    const askedAt = performance.now();
    await publisher.publish(TEST_SERVER, [{ kind: 'tools' }]);
    for (const stream of streams) await stream.next('the first change');
    await publisher.publish(TEST_SERVER, [{ kind: 'prompts' }, { kind: 'tools' }]);
    for (const stream of streams) await stream.next('the second change');
    await shows(gateway, 'lg_publish_to_write_seconds_count', 2);
    // Three changes at most, each no older than all of this took, by a clock of whole milliseconds.
    const mostS = (3 * (performance.now() - askedAt + 2)) / 1_000;
    const sum = await gateway.metric('lg_publish_to_write_seconds_sum');
    expect(sum).toBeGreaterThanOrEqual(0);
    expect(sum).toBeLessThan(mostS);
    expect(await gateway.metric('lg_changes_received_total{kind="prompts"}'), 'nobody asked for that').toBe(1);
  });
});
