import { eventually, listenBody, TEST_SERVER } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { DoomedHosts } from '../test/doomed-hosts.ts';
import { liveBytes, MIB } from '../test/heap.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

const timers: NodeJS.Timeout[] = [];

afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer);
});

/** Publishes a change at each interval until the test is over. */
function publishEvery(ms: number, gateway: TestGateway): void {
  timers.push(setInterval(() => void gateway.publish({ kind: 'tools' }), ms));
}

/** Opens streams, so many at a time, and resolves when all are acknowledged. */
async function openMany(url: string, bodies: readonly string[]): Promise<readonly RawHost[]> {
  return Promise.all(
    bodies.map(async (body) => {
      const host = (await RawHost.connect(url)).send(rawPost({ body }));
      await host.until(/acknowledged/, 'the acknowledgement');
      return host;
    }),
  );
}

/** Opens streams and leaves each by FIN or by RST in turn. */
async function comeAndGo(url: string, streams: number): Promise<void> {
  const bodies = Array.from({ length: 50 }, () => listenBody('listen:0', { toolsListChanged: true }));
  for (let done = 0; done < streams; done += bodies.length) {
    const hosts = await openMany(url, bodies);
    for (const [index, { socket }] of hosts.entries()) {
      if (index % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
  }
}

const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('hosts that leave', () => {
  it('5000 times, by FIN and by RST while changes flow, leave nothing behind (P-1.7, SUB-09, FIELD C13)', async () => {
    const gateway = await openGateway({ stream: { keepaliveMs: 200 }, log: { level: 'silent' } });
    publishEvery(5, gateway);
    await comeAndGo(gateway.url, 1_000);
    await gateway.holds(0);
    const [bytes, handles] = [await liveBytes(), sockets()];

    await comeAndGo(gateway.url, 4_000);
    await gateway.holds(0);
    await eventually(5_000, 'the sockets to be closed', () => sockets() <= handles);
    expect((await liveBytes()) - bytes, 'a kibibyte for each stream would be 4 MiB').toBeLessThan(4 * MIB);
    expect(await gateway.metric('lg_streams_opened_total')).toBe(5_000);
    expect(await gateway.metric('lg_streams_closed_total{reason="host-gone"}')).toBe(5_000);
    expect(gateway.broker.attached(TEST_SERVER)).toBe(0);
  }, 60_000);

  it('by kill -9, over changes and a keepalive, cost the others nothing (FIELD C13, C16)', async () => {
    const gateway = await openGateway({ stream: { keepaliveMs: 100 } });
    const staying = await gateway.open();
    publishEvery(10, gateway);
    for (let round = 0; round < 3; round += 1) {
      const hosts = await DoomedHosts.open(gateway.url, 20);
      await gateway.holds(21);
      await hosts.kill();
      await gateway.holds(1);
    }
    const [messages, comments] = [staying.messages.length, staying.comments];
    await staying.received(messages + 10);
    await eventually(5_000, 'the next keepalive', () => staying.comments > comments);
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('in thousands, each with URIs of its own, all by RST, free their URIs (FIELD C38)', async () => {
    const gateway = await openGateway({ log: { level: 'silent' } });
    const round = async (name: string) => {
      const hosts: RawHost[] = [];
      while (hosts.length < 2_000) {
        // Long, so that a URI that is kept shows.
        const uris = Array.from({ length: 50 }, (_, index) => `${name}-${hosts.length + index}-${'x'.repeat(4_000)}`);
        const bodies = uris.map((uri) => listenBody('listen:0', { resourceSubscriptions: [uri] }));
        hosts.push(...(await openMany(gateway.url, bodies)));
      }
      await gateway.holds(2_000);
      for (const { socket } of hosts) socket.resetAndDestroy();
      await gateway.holds(0);
      expect(gateway.broker.attached(TEST_SERVER)).toBe(0);
    };
    await round('first');
    const bytes = await liveBytes();
    await round('second');
    expect((await liveBytes()) - bytes, 'the URIs alone are 8 MB').toBeLessThan(4 * MIB);
  }, 60_000);
});
