import { eventually, type FrontProcess, INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Backends, openBackends } from './backends.ts';
import { BALANCERS } from './balancers.ts';
import { FrontHost, HTTP_VERSIONS, type HttpVersion } from './front-host.ts';

const KEEPALIVE_MS = 1_000;
const TOOLS = 'notifications/tools/list_changed';

let backends: Backends;
beforeAll(async () => {
  backends = await openBackends({ LG_STREAM__KEEPALIVE_MS: String(KEEPALIVE_MS) });
}, INSTALL_MS);
afterAll(() => backends.close());

const fronts: FrontProcess[] = [];
const hosts: FrontHost[] = [];
afterAll(async () => {
  for (const front of fronts.splice(0)) await front.close();
});
afterEach(() => {
  for (const host of hosts.splice(0)) host.close();
});

describe.each(BALANCERS)('$name', (balancer) => {
  let front: FrontProcess;
  let connect: (version: HttpVersion) => Promise<FrontHost>;
  beforeAll(async () => {
    const site = await backends.site();
    front = await balancer.open('listen-gateway', site);
    fronts.push(front);
    connect = async (version) => {
      const host = await FrontHost.connect(front.url, site.certificate.certificate, version);
      hosts.push(host);
      return host;
    };
  }, INSTALL_MS);

  describe.each(HTTP_VERSIONS)('in front of two instances, spoken to in %s over TLS,', (version) => {
    it('shows head and acknowledgement within a second, and each change within one (FIELD C7, C8, C10)', async () => {
      const host = await connect(version);
      const opened = performance.now();
      const stream = await host.listen();
      const [acknowledgement] = await stream.received(1);
      expect(performance.now() - opened).toBeLessThan(1_000);
      expect([stream.status, acknowledgement?.method]).toEqual([200, 'notifications/subscriptions/acknowledged']);
      expect(stream.headers).toMatchObject({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
      expect(stream.headers['content-encoding']).toBeUndefined();
      for (let change = 1; change <= 5; change += 1) {
        const published = performance.now();
        await backends.publish();
        const messages = await stream.received(1 + change);
        expect(performance.now() - published).toBeLessThan(1_000);
        expect(messages[change]?.method).toBe(TOOLS);
      }
      stream.leave();
    });

    it('tells the instance that a host left, at the latest when the second keepalive goes out (P-1.7, SUB-09)', async () => {
      await eventually(5_000, 'no stream of others', async () => (await backends.streams()) === 0);
      const host = await connect(version);
      const streams = await Promise.all(Array.from({ length: 10 }, (_, id) => host.listen(id)));
      await eventually(5_000, 'ten streams', async () => (await backends.streams()) === 10);
      for (const stream of streams) stream.leave();
      await eventually(2 * KEEPALIVE_MS + 1_000, 'no stream', async () => (await backends.streams()) === 0);
    });

    it('carries several hundred streams and brings a change to each', async () => {
      const crowd = await Promise.all(Array.from({ length: 6 }, () => connect(version)));
      const opening = crowd.flatMap((host) => Array.from({ length: 50 }, (_, id) => host.listen(id)));
      const streams = await Promise.all(opening);
      await Promise.all(streams.map((stream) => stream.received(1, 10_000)));
      const shares = await Promise.all(backends.gateways.map((gateway) => gateway.metric('lg_streams_open')));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(300);
      for (const share of shares) expect(share, 'no instance holds nearly all').toBeGreaterThan(75);
      await backends.publish();
      await Promise.all(streams.map((stream) => stream.received(2, 10_000)));
      for (const stream of streams) stream.leave();
      await eventually(2 * KEEPALIVE_MS + 3_000, 'no stream', async () => (await backends.streams()) === 0);
    });

    it('keeps its streams when its configuration is read again, and takes new ones (FIELD F7)', async () => {
      const stream = await (await connect(version)).listen();
      await stream.received(1);
      await front.reload();
      const later = await (await connect(version)).listen();
      await later.received(1);
      await backends.publish();
      for (const one of [stream, later]) expect((await one.received(2)).at(-1)?.method).toBe(TOOLS);
      expect(stream.over).toBe(false);
      for (const one of [stream, later]) one.leave();
    });
  });
});
