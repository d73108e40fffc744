import { eventually, LISTEN_HEADERS, openListen, type ServiceProcess, startService } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { campaign } from './campaign.ts';
import { exchange, judge } from './exchange.ts';
import { bodies, headers, mostly, oddText } from './parts.ts';
import { rawRequests } from './raw-request.ts';

const LISTEN = LISTEN_HEADERS['Mcp-Method'];

const uris = fc.array(fc.oneof(fc.constantFrom('file:///a', 'file:///a/b'), oddText), { maxLength: 5 });
const filter = fc.record(
  {
    toolsListChanged: mostly(fc.boolean()),
    promptsListChanged: mostly(fc.boolean()),
    resourcesListChanged: mostly(fc.boolean()),
    resourceSubscriptions: mostly(uris),
    taskIds: mostly(uris),
  },
  { requiredKeys: [] },
);
const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': mostly(fc.constant('2026-07-28'), 20),
    'io.modelcontextprotocol/clientCapabilities': mostly(
      fc.constantFrom({}, { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
      20,
    ),
  },
  { requiredKeys: ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'] },
);
const message = fc.record(
  {
    jsonrpc: mostly(fc.constant('2.0'), 30),
    id: mostly(fc.oneof(fc.integer(), oddText)),
    method: mostly(
      fc.constantFrom(
        LISTEN,
        LISTEN,
        LISTEN,
        LISTEN,
        LISTEN,
        'server/discover',
        'tools/list',
        'notifications/cancelled',
      ),
      20,
    ),
    params: mostly(fc.record({ _meta: mostly(meta, 30), notifications: mostly(filter, 20) }), 30),
  },
  { requiredKeys: ['jsonrpc', 'method', 'params'] },
);

const requests = rawRequests({
  method: fc.oneof(
    { weight: 20, arbitrary: fc.constant('POST') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('GET', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'TRACE', 'CONNECT', 'QUERY', 'post', 'X'),
    },
  ),
  path: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('/mcp', '/mcp/default', '/mcp/guarded') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '*',
        '//',
        '/mcp/',
        '/mcp/%',
        '/mcp/%00',
        '/mcp/%E0%A4%A',
        '/mcp?x=%',
        'http://localhost/mcp',
        'http://[',
        '/.well-known/oauth-protected-resource/mcp/guarded',
      ),
    },
    { weight: 1, arbitrary: fc.webPath().map((path) => `/mcp/${path}`) },
  ),
  headers: headers({ Host: 'localhost', ...LISTEN_HEADERS, Authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AA' }),
  body: bodies(message),
});

describe('a gateway', () => {
  let gateway: ServiceProcess;

  beforeAll(async () => {
    const auth = { issuer: 'https://issuer.invalid', audience: 'https://mcp.acme.example' };
    gateway = await startService('gateway', {
      LG_LOG__LEVEL: 'warn',
      LG_SERVERS: JSON.stringify({ default: {}, guarded: { auth } }),
    });
  });
  afterAll(() => gateway.kill());

  it('answers whatever it is sent, in time and without a fault, and holds nothing afterwards', {
    timeout: 400_000,
  }, async () => {
    await campaign(0.6, requests, async (request) => judge(await exchange(gateway.port, request)));

    await eventually(10_000, 'the last stream to close', async () => (await gateway.metric('lg_streams_open')) === 0);
    // The cases were no mere refusals: some of them were served.
    expect(await gateway.metric('lg_streams_opened_total')).toBeGreaterThan(0);
    const stream = await openListen(`${gateway.url}/mcp`);
    expect(await stream.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    stream.close();
    expect(gateway.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
