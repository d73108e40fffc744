import { type SampleServer, startSampleServer } from '@listen-gateway/service-sample-server';
import { eventually, freePort, INSTALL_MS, openListen, startService, within } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OfficialHost } from './official-host.ts';
import { openFleet, type ProcessFleet } from './process-fleet.ts';

const CALL = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
};

let fleet: ProcessFleet;
let samplePort: number;
let servers: string;
const samples: SampleServer[] = [];
const hosts: OfficialHost[] = [];

beforeAll(async () => {
  samplePort = await freePort();
  servers = JSON.stringify({ default: { upstream: { url: `http://127.0.0.1:${samplePort}/mcp` } } });
  fleet = await openFleet({ env: { LG_SERVERS: servers, LG_DRAIN__WINDOW_MS: '500' } });
}, INSTALL_MS);
afterAll(async () => {
  await fleet.close();
  for (const sample of samples) await sample.close();
});
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.client.close();
});

async function startSample(): Promise<void> {
  const publisherUrl = fleet.publisher.url;
  samples.push(await startSampleServer({ host: '127.0.0.1', port: samplePort, serverId: 'default', publisherUrl }));
}

async function connect(...args: Parameters<typeof OfficialHost.connect>): Promise<OfficialHost> {
  const host = await OfficialHost.connect(...args);
  hosts.push(host);
  return host;
}

/** A tool call as `curl` would send it. */
function post(url: string, name: string, args: object = {}, signal?: AbortSignal): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 'p',
  };
  const message = { jsonrpc: '2.0', id: 'C1', method: 'tools/call', params: { _meta, name, arguments: args } };
  const headers = { ...CALL, 'Mcp-Name': name };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(message), ...(signal && { signal }) });
}

// In this order: the server behind the gateway is down at first.
describe('one URL for all requests', () => {
  it('serves listens while the server behind it is down, and everything once it is up, without a restart', async () => {
    const stream = await openListen(fleet.url);
    expect((await stream.next('the acknowledgement')).params?.notifications).toEqual({ toolsListChanged: true });
    const call = await post(fleet.url, 'echo', { text: 'hello' });
    expect([call.status, await call.json()]).toMatchObject([502, { id: 'C1', error: { code: -32603 } }]);
    expect(await Promise.all(fleet.gateways.map((gateway) => gateway.readiness())), 'hosts may listen').toEqual([
      200, 200,
    ]);

    await startSample();

    for (const _ of fleet.gateways) {
      const again = await post(fleet.url, 'echo', { text: 'hello' });
      expect([again.status, await again.json()]).toMatchObject([200, { result: { content: [{ text: 'hello' }] } }]);
    }
    await post(fleet.url, 'add_tool', { name: 'while-you-listened' });
    expect((await stream.next('the change')).method, 'the stream of before').toBe('notifications/tools/list_changed');
    stream.close();
  });

  it('lets the official client list, call with progress, be told of a change and list again (P-2.12, SUB-07, INS-01)', async () => {
    const told: string[] = [];
    const host = await connect(fleet.url, {
      listChanged: { tools: { autoRefresh: false, onChanged: () => void told.push('tools') } },
    });
    // The server announces no change of its own: that the client listens is because the gateway does.
    expect(host.client.autoOpenedSubscription?.honoredFilter).toEqual({ toolsListChanged: true });
    expect(host.client.getServerVersion()?.name).toBe('listen-gateway-sample');
    const listening = await Promise.all(
      fleet.gateways.map((gateway) => openListen(`${gateway.url}/mcp`, { filter: { toolsListChanged: true } })),
    );
    for (const stream of listening) await stream.next('the acknowledgement');
    const names = async () => (await host.client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('of-today');

    const progress: number[] = [];
    const called = await host.client.callTool(
      { name: 'test_tool_with_progress', arguments: { steps: 4, stepMs: 5 } },
      { onprogress: (step) => void progress.push(step.progress) },
    );
    expect([called.content, progress]).toEqual([
      [{ type: 'text', text: 'Finished after 4 steps' }],
      [0, 25, 50, 75, 100],
    ]);

    await host.client.callTool({ name: 'add_tool', arguments: { name: 'of-today' } });
    await eventually(5_000, 'the client to be told', () => told.length === 1);
    expect(await names()).toContain('of-today');
    for (const stream of listening) {
      expect((await stream.next('the change')).method).toBe('notifications/tools/list_changed');
      expect(stream.messages, 'and no progress of a call').toHaveLength(2);
      stream.close();
    }
  });

  it('serves ten clients at once, and ten that come one after another (FIELD F14)', async () => {
    const use = async () => {
      const host = await OfficialHost.connect(fleet.url);
      const { content } = await host.client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      const subscription = await host.client.listen({ toolsListChanged: true });
      await host.client.close();
      return [content, subscription.honoredFilter];
    };
    const expected = [[{ type: 'text', text: 'hello' }], { toolsListChanged: true }];
    for (const used of await Promise.all(Array.from({ length: 10 }, use))) expect(used).toEqual(expected);
    for (let number = 0; number < 10; number += 1) expect(await use()).toEqual(expected);
  });

  it('cancels the work of a call whose host leaves, through the load balancer too (FIELD F8)', async () => {
    const exchanges = async () => {
      const counts = fleet.gateways.map((gateway) => gateway.metric('lg_proxy_requests_total{outcome="host-gone"}'));
      return (await Promise.all(counts)).reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0);
    };
    const leaving = new AbortController();
    const answer = await post(fleet.url, 'test_tool_with_progress', { steps: 1_000, stepMs: 50 }, leaving.signal);
    await answer.body?.getReader().read();
    leaving.abort();
    await eventually(2_000, 'the instance to notice', async () => (await exchanges()) === 1);
  });

  it('ends the calls that are under way before an instance that is told to stop ends (P-1.8)', async () => {
    const leaving = await startService('gateway', {
      LG_BROKER__URL: fleet.redis.url,
      LG_SERVERS: servers,
      LG_DRAIN__WINDOW_MS: '200',
    });
    const stream = await openListen(`${leaving.url}/mcp`);
    await stream.next('the acknowledgement');
    const call = await post(`${leaving.url}/mcp`, 'test_tool_with_progress', { steps: 10, stepMs: 150 });
    const reader = call.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';

    leaving.signal('SIGTERM');

    expect(await within(5_000, 'the end of the stream', stream.ended)).toBe('complete');
    expect(stream.messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } });
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    expect(text, 'long after the streams').toContain('Finished after 10 steps');
    expect(await leaving.ended()).toBe(0);
    expect(leaving.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
