import { eventually, type ServiceProcess, startService } from '@listen-gateway/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LegacyServer, openLegacyServer } from './legacy-server.ts';

let server: LegacyServer;
let gateway: ServiceProcess;

beforeAll(async () => {
  server = await openLegacyServer();
  gateway = await startService('gateway', {
    LG_SERVERS: JSON.stringify({ default: { upstream: { url: server.url } } }),
  });
}, 60_000);
afterAll(async () => {
  await gateway.kill();
  await server.close();
});

const endpoint = () => new URL(`${gateway.url}/mcp`);
const INFO = { name: 'legacy-host', version: '1' };

describe('a host of the 2025 era in front of a server of that era', () => {
  it('has its session through the gateway: lists, progress, questions, unsolicited changes and the end (P-2.11, SUB-06, SUB-07)', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    const changed: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => void changed.push(method));
    const transport = new StreamableHTTPClientTransport(endpoint());
    await client.connect(transport);
    expect(client.getServerVersion()).toMatchObject({ name: 'legacy' });
    expect(transport.sessionId).toBeDefined();
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(['count', 'ask', 'grow']);

    const progress: number[] = [];
    const counted = await client.callTool(
      { name: 'count', arguments: { steps: 5 } },
      { onprogress: (told) => void progress.push(told.progress) },
    );
    expect([counted.content, progress]).toEqual([[{ type: 'text', text: 'counted to 5' }], [1, 2, 3, 4, 5]]);

    // The answer to the server's question is a response that the host POSTs.
    expect((await client.callTool({ name: 'ask' })).content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);

    await client.callTool({ name: 'grow' });
    await eventually(5_000, 'the change on the GET stream', () => changed.length === 1);
    expect(await names()).toContain('grown');
    expect(await gateway.metric('lg_streams_opened_total'), 'none of it is a listen').toBe(0);

    await transport.terminateSession();
    await eventually(5_000, 'the end of the session', () => server.openSessions === 0);
    await client.close();
    await eventually(5_000, 'the end of the GET stream', () => server.served.some((one) => one.startsWith('GET')));
    expect(new Set(server.served)).toEqual(new Set(['POST 200', 'POST 202', 'GET 200', 'DELETE 200']));
  });

  it('and on the SDK of that era has it as well', async () => {
    const client = new LegacyClient(INFO);
    await client.connect(new LegacyTransport(endpoint()) as Parameters<LegacyClient['connect']>[0]);
    const progress: number[] = [];
    const { content } = await client.callTool({ name: 'count', arguments: { steps: 3 } }, undefined, {
      onprogress: (told) => progress.push(told.progress),
    });
    expect([content, progress]).toEqual([[{ type: 'text', text: 'counted to 3' }], [1, 2, 3]]);
    await client.close();
  });

  it('and that speaks both revisions falls back to the older one, because discover is refused in the words of the server', async () => {
    const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(endpoint()));
    expect(client.getServerVersion()).toMatchObject({ name: 'legacy' });
    expect((await client.listTools()).tools).toHaveLength(3);
    await client.close();
  });
});
