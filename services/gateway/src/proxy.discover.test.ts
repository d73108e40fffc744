import { eventually, freePort, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CALL, message, openProxy, send } from '../test/proxied-host.ts';
import { type SeenRequest, StubUpstream } from '../test/stub-upstream.ts';
import type { TestGateway } from '../test/test-gateway.ts';

const DISCOVER = message('server/discover', {}, 'D1');
const CAPABILITIES = {
  tools: { listChanged: false, other: 1 },
  resources: {},
  logging: {},
  extensions: { 'io.modelcontextprotocol/tasks': { version: 2 }, 'com.example/x': {} },
};
const RESULT = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28', '2025-11-25'],
  capabilities: CAPABILITIES,
  instructions: 'of the upstream',
  ttlMs: 60_000,
  cacheScope: 'public',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'upstream', version: '9' } },
};
const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///a'],
};

/** An upstream that answers discover with the result, members replaced. */
const openDiscovered = (members: object = {}) =>
  StubUpstream.open(({ json, response }) => {
    const result = { ...RESULT, ...members };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: json.id, result }));
  });

async function discover(gateway: TestGateway, headers: Readonly<Record<string, string>> = {}) {
  const answer = await send(gateway.url, { ...DISCOVER, headers: { ...DISCOVER.headers, ...headers } }).answer(10_000);
  return { status: answer.status, body: await answer.json(), answer };
}

async function honored(gateway: TestGateway, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const stream = await gateway.open({ filter: EVERYTHING, headers });
  const { params } = stream.messages[0] ?? {};
  stream.close();
  return params?.notifications;
}

describe('server/discover through a gateway', () => {
  it('is what the upstream says, with the changes that the gateway delivers inside what it declares (P-2.12)', async () => {
    const gateway = await openProxy((await openDiscovered()).url);
    const { status, body } = await discover(gateway);
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 'D1',
      result: {
        ...RESULT,
        capabilities: {
          ...CAPABILITIES,
          tools: { listChanged: true, other: 1 },
          resources: { listChanged: true, subscribe: true },
        },
      },
    });
    expect(await honored(gateway), 'a listen honors just what is announced').toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
  });

  it('announces and honors no more than the configuration allows (P-2.12)', async () => {
    const upstream = await openDiscovered();
    const capabilities = { tools: false, resources: { subscribe: false } };
    const gateway = await openProxy(
      '',
      {},
      { servers: { default: { capabilities, upstream: { url: upstream.url } } } },
    );
    const { body } = await discover(gateway);
    expect(body.result?.capabilities).toMatchObject({
      tools: { listChanged: false },
      resources: { listChanged: true, subscribe: false },
    });
    expect(await honored(gateway)).toEqual({ resourcesListChanged: true });
  });

  it('asks the upstream once for many hosts and listens, until its ttlMs is over', async () => {
    const upstream = await openDiscovered();
    const gateway = await openProxy(upstream.url);
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => discover(gateway)),
      ...Array.from({ length: 20 }, () => honored(gateway)),
    ]);
    expect(answers).toHaveLength(40);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is told apart by credential where the upstream says that it is private, and only where credentials go there (P-3.4)', async () => {
    const upstream = await StubUpstream.open((request: SeenRequest) => {
      const [credential = 'none'] = request.values('authorization');
      const capabilities = credential === 'Bearer a' ? { tools: {} } : { prompts: {} };
      const result = { ...RESULT, capabilities, cacheScope: 'private', credential };
      request.response.end(JSON.stringify({ jsonrpc: '2.0', id: request.json.id, result }));
    });
    const gateway = await openProxy(upstream.url, { authorization: 'pass' });
    for (const credential of ['Bearer a', 'Bearer b', 'Bearer a']) {
      const { body } = await discover(gateway, { Authorization: credential });
      expect(body.result?.credential).toBe(credential);
    }
    expect((await discover(gateway)).body.result?.credential).toBe('none');
    expect(await honored(gateway, { Authorization: 'Bearer a' })).toEqual({ toolsListChanged: true });
    expect(await honored(gateway, { Authorization: 'Bearer b' })).toEqual({ promptsListChanged: true });
    expect(upstream.requests).toHaveLength(3);

    const closed = await openProxy(upstream.url, { authorization: 'off' });
    for (const credential of ['Bearer a', 'Bearer b']) {
      expect((await discover(closed, { Authorization: credential })).body.result?.credential).toBe('none');
    }
    expect(upstream.requests).toHaveLength(4);
  });

  it('of an upstream that is down is what the configuration says, not to be kept; and the upstream’s own once it is up', async () => {
    const port = await freePort();
    const gateway = await openProxy(`http://127.0.0.1:${port}/mcp`);
    const { status, body } = await discover(gateway);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ capabilities: { prompts: { listChanged: true } }, ttlMs: 0 });
    expect(await honored(gateway)).toEqual(EVERYTHING);

    const upstream = await StubUpstream.open(undefined, port);
    upstream.answer(({ json, response }) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id: json.id, result: RESULT })),
    );
    await eventually(
      5_000,
      'the answer of the upstream',
      async () => (await discover(gateway)).body.result?.instructions === 'of the upstream',
    );
    expect(await honored(gateway)).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
  });

  it.each([
    [404, { jsonrpc: '2.0', id: 'D1', error: { code: -32601, message: 'of an older server' } }],
    [400, { jsonrpc: '2.0', id: 'D1', error: { code: -32022, message: 'x', data: { supported: ['2025-11-25'] } } }],
    [401, { error: 'invalid_token' }],
  ])(
    'that the upstream refuses with %i is refused in its words, and listens go by the configuration',
    async (status, said) => {
      const upstream = await StubUpstream.open(({ response }) => {
        response.writeHead(status, { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer' });
        response.end(JSON.stringify(said));
      });
      const gateway = await openProxy(upstream.url);
      const { answer, body } = await discover(gateway);
      expect([answer.status, body]).toEqual([status, said]);
      expect(answer.values('www-authenticate')).toEqual(['Bearer']);
      expect(upstream.requests.at(-1)?.body.toString(), 'what the host sent, byte for byte').toBe(DISCOVER.body);
      expect(await honored(gateway)).toEqual(EVERYTHING);
    },
  );

  it('of a host that leaves while the upstream thinks is not forwarded on its behalf (FIELD F8)', async () => {
    const { promise: decided, resolve: refuse } = Promise.withResolvers<void>();
    const upstream = await StubUpstream.open(async ({ response }) => {
      await decided;
      response.writeHead(404).end('{}');
    });
    const gateway = await openProxy(upstream.url);
    const host = send(gateway.url, DISCOVER);
    await upstream.request();
    host.leave();
    // The instance sees that the host has left before it learns what the upstream says.
    await new Promise((resolve) => setTimeout(resolve, 50));
    refuse();
    await eventually(
      5_000,
      'the outcome',
      async () => (await gateway.metric('lg_proxy_requests_total{outcome="host-gone"}')) === 1,
    );
    expect(upstream.requests, 'only what the gateway asked itself').toHaveLength(1);
  });

  it('keeps nobody from listening for longer than two seconds', async () => {
    const upstream = await StubUpstream.open(() => {});
    const gateway = await openProxy(upstream.url);
    expect(await within(4_000, 'the acknowledgement', honored(gateway))).toEqual(EVERYTHING);
  });

  it('goes through and leaves other requests as they are while it is answered here', async () => {
    const upstream = await openDiscovered();
    const gateway = await openProxy(upstream.url);
    await discover(gateway);
    await (await send(gateway.url, CALL).answer()).end();
    expect(upstream.requests.map(({ json }) => json.method)).toEqual(['server/discover', 'tools/call']);
  });
});
