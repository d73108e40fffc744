import { openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { StubUpstream } from '../test/stub-upstream.ts';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

const APP = 'https://app.example';
const ASKED = 'content-type,accept,authorization,mcp-protocol-version,mcp-method,mcp-name';

const open = (sketch: object = {}) => openGateway({ http: { allowedOrigins: [APP] }, ...sketch });

/** The head of the answer to an OPTIONS request, as a browser sends it: without a token. */
async function preflight(gateway: TestGateway, origin: string, headers = ASKED): Promise<string> {
  const host = (await RawHost.connect(gateway.url)).send(
    `OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n` +
      `Access-Control-Request-Headers: ${headers}\r\nConnection: close\r\n\r\n`,
  );
  await host.over();
  return host.text;
}

describe('a preflight', () => {
  it('of an allowed origin is answered with 204 and all that an MCP client sends (FIELD B17)', async () => {
    const text = (await preflight(await open(), APP)).toLowerCase();
    expect(text).toMatch(/^http\/1\.1 204 /);
    expect(text).toContain(`access-control-allow-origin: ${APP}\r\n`);
    expect(text).toMatch(/access-control-allow-methods: .*post/);
    const allowed = /access-control-allow-headers: (.*)\r/.exec(text)?.[1]?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(ASKED.split(',')));
    expect(text).toMatch(/vary: .*origin/);
    expect(text).not.toContain('access-control-allow-credentials');
  });

  it('is told of headers that mirror a parameter, and of no others that it asks for (P-2.11)', async () => {
    const text = await preflight(await open(), APP, 'mcp-param-region, x-evil, mcp-param-a b');
    expect(text).toMatch(/access-control-allow-headers: .*mcp-param-region\r/i);
    expect(text).not.toContain('x-evil');
  });

  it.each(['http://evil.example', 'null', `${APP}.evil.example`])(
    'of %s is told nothing, and its POST gets 403 (FIELD B17, B19)',
    async (origin) => {
      const gateway = await open();
      const text = await preflight(gateway, origin);
      expect(text).toMatch(/^HTTP\/1\.1 403 /);
      expect(text.toLowerCase()).not.toContain('access-control-');
      const answer = await openListen(gateway.url, { headers: { Origin: origin } });
      expect(answer.status).toBe(403);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect(await gateway.metric('lg_requests_refused_total{status="403"}')).toBe(2);
    },
  );
});

describe('an answer to a page', () => {
  it('can be read by it: a stream in its head (FIELD B17)', async () => {
    const gateway = await open();
    const stream = await gateway.open({ headers: { Origin: APP } });
    expect(stream.headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, Retry-After',
      vary: 'Origin',
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    expect(stream.headers).not.toHaveProperty('access-control-allow-credentials');
    await gateway.publish({ kind: 'tools' });
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    stream.close();
  });

  it('can be read by it: a refusal, and where nothing is', async () => {
    const gateway = await open();
    for (const url of [gateway.url, `${gateway.gateway.url}/mcp/none`, `${gateway.gateway.url}/else`]) {
      const answer = await openListen(url, { headers: { Origin: APP }, body: '{' });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers['access-control-allow-origin']).toBe(APP);
    }
  });

  it('can be read by it as the gateway says, whatever an upstream says', async () => {
    const upstream = await StubUpstream.open(({ response }) =>
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Credentials': 'true',
          'Mcp-Session-Id': 's1',
          Vary: 'Accept',
        })
        .end('{}'),
    );
    const gateway = await open(upstreamSketch(upstream.url));
    const request = rawPost({
      extra: [
        ['Origin', APP],
        ['Connection', 'close'],
      ],
      body: TOOLS_LIST,
      headers: TOOLS_HEADERS,
    });
    const host = (await RawHost.connect(gateway.url)).send(request);
    await host.over();
    const head = (host.text.split('\r\n\r\n')[0] ?? '').toLowerCase().split('\r\n');
    expect(head.filter((line) => line.startsWith('access-control-allow'))).toEqual([
      `access-control-allow-origin: ${APP}`,
    ]);
    expect(head.filter((line) => line.startsWith('vary')).join()).toContain('origin');
    expect(head).toContain('mcp-session-id: s1');
  });

  it('says nothing of origins to who has none', async () => {
    const answer = await (await open()).open();
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    answer.close();
  });
});

describe('every answer of the gateway', () => {
  it('is kept by nobody and taken for nothing but what it says', async () => {
    const gateway = await open();
    const answers = [
      await openListen(gateway.url, { body: '{' }),
      await openListen(gateway.url, { body: TOOLS_LIST, headers: { 'Mcp-Method': 'tools/list' } }),
      await openListen(gateway.url, { headers: { Origin: 'http://evil.example' } }),
      await openListen(`${gateway.gateway.url}/else`),
      await openListen(gateway.url, {
        body: TOOLS_LIST.replace('tools/list', 'server/discover'),
        headers: { 'Mcp-Method': 'server/discover' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 403, 404, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    }
    const stream = await gateway.open();
    expect(stream.headers['x-content-type-options']).toBe('nosniff');
    stream.close();
  });
});

const upstreamSketch = (url: string) => ({ servers: { default: { upstream: { url } } } });
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const TOOLS_LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } });
const TOOLS_HEADERS = [
  ['Host', 'localhost'],
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
  ['MCP-Protocol-Version', '2026-07-28'],
  ['Mcp-Method', 'tools/list'],
] as const;
