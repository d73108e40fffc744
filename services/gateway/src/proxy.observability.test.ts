import { eventually } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CALL, message, openProxy, send } from '../test/proxied-host.ts';
import { StubUpstream } from '../test/stub-upstream.ts';
import type { TestGateway } from '../test/test-gateway.ts';

const outcome = (gateway: TestGateway, kind: string) => gateway.metric(`lg_proxy_requests_total{outcome="${kind}"}`);

describe('what an operator sees of forwarded requests', () => {
  it('is each of them once, by how it ended, and how long it took; listens are counted elsewhere (FIELD F11, F13)', async () => {
    const upstream = await StubUpstream.open(({ json, response }) => {
      if (json.id === 'cut') response.writeHead(200).write('half', () => response.destroy());
      else if (json.id === 'failed') response.destroy();
      else if (json.id === 'left') response.writeHead(200).write('half');
      else response.writeHead(json.id === 'refused' ? 404 : 200).end('{}');
    });
    const gateway = await openProxy(upstream.url);
    const of = (id: string) => send(gateway.url, message('tools/call', { name: 'work' }, id));
    for (const id of ['answered', 'answered', 'refused', 'cut', 'failed']) await (await of(id).answer()).end();
    const left = of('left');
    await (await left.answer()).shows('half');
    left.leave();
    await (await upstream.request(6)).over;
    // What is refused here is not forwarded.
    await (await send(gateway.url, { ...CALL, body: '[]' }).answer()).end();
    await (await gateway.open()).close();

    for (const [kind, count] of Object.entries({ answered: 3, cut: 1, failed: 1, 'host-gone': 1 })) {
      expect([kind, await outcome(gateway, kind)]).toEqual([kind, count]);
    }
    expect(await gateway.metric('lg_proxy_seconds_count')).toBe(6);
    expect(await gateway.metric('lg_streams_opened_total'), 'no stream of ours').toBe(1);
    expect(await gateway.metric('lg_acknowledgement_seconds_count')).toBe(1);
  });

  it('is the stream of a session as one request, and never as a slow one (FIELD F11)', async () => {
    const upstream = await StubUpstream.open(({ response }) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': hello\n\n');
    });
    const gateway = await openProxy(upstream.url);
    const host = send(gateway.url, {
      method: 'GET',
      headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': 'abc' },
    });
    await (await host.answer()).shows('hello');
    host.leave();
    await (await upstream.request(1)).over;
    await eventually(5_000, 'its end to be counted', async () => (await outcome(gateway, 'host-gone')) === 1);
    expect(await gateway.metric('lg_proxy_seconds_count')).toBe(0);
  });

  it('is one line for a request that failed, and none for hosts that come and go (FIELD F17)', async () => {
    const upstream = await StubUpstream.open(({ json, response }) => {
      response.writeHead(200).write('half', () => (json.id === 'cut' ? response.destroy() : undefined));
    });
    const gateway = await openProxy(upstream.url);
    for (let number = 1; number <= 100; number += 1) {
      const host = send(gateway.url, CALL);
      await (await host.answer()).shows('half');
      host.leave();
    }
    await (await send(gateway.url, message('tools/call', { name: 'work' }, 'cut')).answer()).end();
    const lines = gateway.log.filter(({ level }) => level !== 'debug');
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', msg: 'upstream failed', outcome: 'cut' })]);
  });
});
