import { setTimeout as delay } from 'node:timers/promises';
import { eventually, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CALL, openProxy, send } from '../test/proxied-host.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { type Answer, StubUpstream } from '../test/stub-upstream.ts';
import type { TestGateway } from '../test/test-gateway.ts';

const CHUNK = 'data: first\n\n';
const streaming: Answer = ({ response }) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(CHUNK);
const silent: Answer = () => {};
const RAW_CALL = rawPost({
  headers: Object.entries({ ...CALL.headers, Host: 'localhost' }) as [string, string][],
  body: String(CALL.body),
});

const outcomes = (gateway: TestGateway, outcome: string, count = 1) =>
  eventually(
    5_000,
    `${count} times the outcome ${outcome}`,
    async () => (await gateway.metric(`lg_proxy_requests_total{outcome="${outcome}"}`)) === count,
  );

/** The upstream is told within a second, and the instance has neither an error of it nor a request left. */
async function expectCancelled(gateway: TestGateway, upstream: StubUpstream, number = 1): Promise<void> {
  const { over, response } = await upstream.request(number);
  await within(1_000, 'the upstream to be told', over);
  expect(response.writableFinished).toBe(false);
  await outcomes(gateway, 'host-gone', number);
  expect(gateway.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
}

describe('a host that leaves', () => {
  it.each(['leave', 'reset'] as const)(
    'in the middle of a stream (%s) cancels the request of the upstream within a second (FIELD F8)',
    async (way) => {
      const upstream = await StubUpstream.open(streaming);
      const gateway = await openProxy(upstream.url);
      const host = send(gateway.url, CALL);
      await (await host.answer()).shows(CHUNK);
      await host[way]();
      await expectCancelled(gateway, upstream);
    },
  );

  it.each(['leave', 'reset'] as const)(
    'before the head of its answer (%s) cancels the request of the upstream within a second (FIELD F8)',
    async (way) => {
      const upstream = await StubUpstream.open(silent);
      const gateway = await openProxy(upstream.url);
      const host = send(gateway.url, CALL);
      await upstream.request();
      await host[way]();
      await expectCancelled(gateway, upstream);
    },
  );

  it('by closing its sending side has left: that cannot be told from a FIN (FIELD C18, F8)', async () => {
    const upstream = await StubUpstream.open(streaming);
    const gateway = await openProxy(upstream.url);
    const host = (await RawHost.connect(gateway.url)).send(RAW_CALL);
    await host.until(/first/, 'the first frame');
    host.socket.end();
    await expectCancelled(gateway, upstream);
  });

  it('while its second request waits behind the first on one connection cancels both (FIELD F8)', async () => {
    const upstream = await StubUpstream.open(silent);
    const gateway = await openProxy(upstream.url);
    const host = (await RawHost.connect(gateway.url)).send(RAW_CALL).send(RAW_CALL);
    const first = await upstream.request(1);
    const second = await upstream.request(2);
    host.socket.resetAndDestroy();
    await within(1_000, 'the upstream to be told of both', Promise.all([first.over, second.over]));
    await outcomes(gateway, 'host-gone', 2);
  });

  it('while its second request streams behind the first, unread, cancels both (FIELD F8)', async () => {
    const upstream = await StubUpstream.open((request) => {
      if (upstream.requests.length === 2) streaming(request);
    });
    const gateway = await openProxy(upstream.url);
    const host = (await RawHost.connect(gateway.url)).send(RAW_CALL).send(RAW_CALL);
    const [first, second] = [await upstream.request(1), await upstream.request(2)];
    await delay(50);
    host.socket.resetAndDestroy();
    await within(1_000, 'the upstream to be told of both', Promise.all([first.over, second.over]));
  });

  it('while another is served leaves the other alone', async () => {
    const upstream = await StubUpstream.open(streaming);
    const gateway = await openProxy(upstream.url);
    const [leaves, stays] = [send(gateway.url, CALL), send(gateway.url, CALL)];
    const answer = await stays.answer();
    await leaves.answer();
    leaves.leave();
    await outcomes(gateway, 'host-gone');
    for (const { response } of upstream.requests) response.end('data: last\n\n');
    expect(await answer.end()).toBe('complete');
    expect(answer.text).toBe(`${CHUNK}data: last\n\n`);
  });

  it('a hundred times, now this way and now that, leaves no connection and no request behind (FIELD C13)', async () => {
    const upstream = await StubUpstream.open((request) =>
      upstream.requests.length % 2 === 0 ? streaming(request) : undefined,
    );
    const gateway = await openProxy(upstream.url);
    const hosts = Array.from({ length: 100 }, () => send(gateway.url, CALL));
    await upstream.request(100);
    for (const [index, host] of hosts.entries()) {
      if (index % 3 === 0) await host.reset();
      else host.leave();
    }
    await within(5_000, 'all requests to be over', Promise.all(upstream.requests.map(({ over }) => over)));
    await outcomes(gateway, 'host-gone', 100);
    await eventually(5_000, 'no connection to be left', () => upstream.openConnections === 0);
  });
});
