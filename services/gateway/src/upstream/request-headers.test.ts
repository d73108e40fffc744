import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { TraceContext } from '@listen-gateway/protocol';
import { within } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrustedProxies } from '../http/trusted-proxies.ts';
import { requestHeaders, type UpstreamAuthorization } from './request-headers.ts';

type Lines = readonly (readonly [string, string])[];

const OFF: UpstreamAuthorization = { mode: 'off' };
const NOBODY = new TrustedProxies();
const LOOPBACK = new TrustedProxies(['127.0.0.0/8']);
/** What is told of the way of a request that came from a test. */
const ORIGIN = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Host', 'gateway.example:8080'],
  ['X-Forwarded-Proto', 'http'],
  ['Forwarded', 'for=127.0.0.1;host="gateway.example:8080";proto=http'],
] as const;

let server: Server;

beforeAll(async () => {
  server = createServer({ requireHostHeader: false }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** A request with just these header lines, as Node reads it. */
async function incomingOf(lines: Lines, host: Lines = [['Host', 'gateway.example:8080']]): Promise<IncomingMessage> {
  const request = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const head = [...host, ...lines].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(Buffer.from(`POST /mcp HTTP/1.1\r\n${head}\r\n`, 'latin1'));
  const [incoming] = (await within(5_000, 'the request', request)) as [IncomingMessage];
  // Its address is forgotten with the connection.
  const { remoteAddress } = incoming.socket;
  Object.defineProperty(incoming.socket, 'remoteAddress', { value: remoteAddress, configurable: true });
  socket.destroy();
  return incoming;
}

/** The lines that go upstream, of a request with these lines. */
async function forwarded(lines: Lines, authorization = OFF, proxies = NOBODY): Promise<(readonly [string, string])[]> {
  const flat = requestHeaders(await incomingOf(lines), authorization, proxies);
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? ''] as const);
}

const names = (lines: Lines) => lines.map(([name]) => name.toLowerCase());
/** Without what is added of the request's way. */
const own = (lines: Lines) => lines.filter(([name]) => !names(ORIGIN).includes(name.toLowerCase()));

describe('the headers of a forwarded request', () => {
  it('are those of the host, known or not, in its order and spelling, and where it came from (P-2.11)', async () => {
    const lines = [
      ['content-type', 'application/json; charset=utf-8'],
      ['ACCEPT', 'application/json'],
      ['Accept', 'text/event-stream'],
      ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      ['tracestate', 'a=1'],
      ['Mcp-Param-Region', '=?base64?w6RiYw==?='],
      ['MCP-Param-region-2', 'eu, us'],
      ['Mcp-Session-Id', 'abc'],
      ['Last-Event-ID', '7'],
      ['X-Latin', 'caf\u00e9'],
      ['X-Empty', ''],
      ['Cookie', 'a=1'],
      ['Cookie', 'b=2'],
      ['Accept-Encoding', 'gzip, br'],
      ['User-Agent', 'host/1'],
    ] as const;
    expect(await forwarded(lines)).toEqual([...lines, ...ORIGIN]);
  });

  it('name the span of this instance where one is recorded, in whatever case the host named its own; its baggage stays', async () => {
    const lines = [
      ['TraceParent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      ['tracestate', 'a=1'],
      ['tracestate', 'b=2'],
      ['baggage', 'user=ann'],
    ] as const;
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
    const told = async (trace: TraceContext) => requestHeaders(await incomingOf(lines), OFF, NOBODY, trace);
    const parent = ['baggage', 'user=ann', 'traceparent', traceparent];
    expect(await told({ traceparent })).toEqual([...parent, ...ORIGIN.flat()]);
    expect(await told({ traceparent, tracestate: 'a=1,b=2' })).toEqual([
      ...parent,
      ...['tracestate', 'a=1,b=2'],
      ...ORIGIN.flat(),
    ]);
  });

  it.each([
    ['Connection', 'keep-alive'],
    ['Keep-Alive', 'timeout=5'],
    ['Proxy-Connection', 'keep-alive'],
    ['Proxy-Authorization', 'Basic eA=='],
    ['TE', 'trailers'],
    ['Trailer', 'X-Sum'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['Expect', '100-continue'],
    ['Content-Length', '0'],
    ['Host', 'other.example'],
  ])('are without %s, which says something of the connection of the host only', async (name, value) => {
    const lines = [
      ['X-Before', '1'],
      [name, value],
      ['X-After', '2'],
    ] as const;
    expect(own(await forwarded(lines))).toEqual([
      ['X-Before', '1'],
      ['X-After', '2'],
    ]);
  });

  it('are without those that Connection names, on one line or several, in any letters', async () => {
    const lines = [
      ['Connection', 'close ,\tX-One'],
      ['X-One', '1'],
      ['x-TWO', '2'],
      ['X-Three', '3'],
      ['connection', 'x-Two'],
    ] as const;
    expect(own(await forwarded(lines))).toEqual([['X-Three', '3']]);
  });

  const chain = [
    ['X-Forwarded-For', '198.51.100.1'],
    ['X-Forwarded-For', '198.51.100.2'],
    ['X-Forwarded-Host', 'mcp.example'],
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'for=198.51.100.1'],
    ['Forwarded', 'for=198.51.100.2;proto=https'],
  ] as const;

  it('add the hop of a trusted proxy to the chain that the request came by', async () => {
    expect(await forwarded(chain, OFF, LOOPBACK)).toEqual([
      ['X-Forwarded-For', '198.51.100.1, 198.51.100.2, 127.0.0.1'],
      ['X-Forwarded-Host', 'mcp.example'],
      ['X-Forwarded-Proto', 'https'],
      ['Forwarded', 'for=198.51.100.1, for=198.51.100.2;proto=https, for=127.0.0.1;host="mcp.example";proto=https'],
    ]);
  });

  it('say nothing that a host made up of its way: the upstream believes this gateway', async () => {
    expect(await forwarded(chain)).toEqual(ORIGIN);
  });

  it('write an IPv6 address as RFC 7239 wants it, and as everybody else does', async () => {
    const incoming = await incomingOf([]);
    Object.defineProperty(incoming.socket, 'remoteAddress', { value: '2001:db8::7' });
    const flat = requestHeaders(incoming, OFF, NOBODY);
    expect(flat[flat.indexOf('X-Forwarded-For') + 1]).toBe('2001:db8::7');
    expect(flat[flat.indexOf('Forwarded') + 1]).toMatch(/^for="\[2001:db8::7\]";/);
  });

  it.each([
    ['X-Forwarded-Proto', 'https, for=203.0.113.9;by=evil'],
    ['X-Forwarded-Proto', 'https;for=203.0.113.9'],
    ['X-Forwarded-Host', 'a", for=203.0.113.9;x="'],
    ['X-Forwarded-Host', 'a\\'],
  ])('let no %s: %s forge the last hop in Forwarded, which is the one that upstreams trust', async (name, value) => {
    const lines = await forwarded([[name, value]], OFF, LOOPBACK);
    const element = lines.find(([field]) => field === 'Forwarded')?.[1] ?? '';
    // One element: a comma or semicolon of the host stands in a quoted string.
    expect(element).toMatch(/^for=127\.0\.0\.1;host="[^"\\]*";proto=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")$/);
  });

  it('take no underscore for a hyphen: servers that speak CGI would, and believe the host', async () => {
    const lines = [
      ['X_Forwarded_For', '203.0.113.9'],
      ['X_Forwarded-Proto', 'https'],
      ['Proxy_Authorization', 'x'],
      ['X_Other', '1'],
    ] as const;
    expect(await forwarded(lines)).toEqual([['X_Other', '1'], ...ORIGIN]);
  });

  it('of a request that names no Host say nothing of it', async () => {
    const flat = requestHeaders(await incomingOf([], []), OFF, NOBODY);
    expect(flat).not.toContain('X-Forwarded-Host');
    expect(flat[flat.indexOf('Forwarded') + 1]).toBe('for=127.0.0.1;proto=http');
  });
});

describe('the Authorization of a forwarded request', () => {
  const lines = [
    ['Authorization', 'Bearer of-the-host'],
    ['X-After', '1'],
  ] as const;
  const credentialsOf = (sent: Lines) => sent.filter(([name]) => name.toLowerCase() === 'authorization');

  it('is dropped unless configured otherwise (P-3.4)', async () => {
    expect(credentialsOf(await forwarded(lines, OFF))).toEqual([]);
  });

  it('is that of the host where the upstream is its audience, once and if there is one (P-3.4)', async () => {
    const pass = { mode: 'pass' } as const;
    expect(credentialsOf(await forwarded(lines, pass))).toEqual([['Authorization', 'Bearer of-the-host']]);
    const twice = [
      ['AUTHORIZATION', 'Bearer one'],
      ['Authorization', 'Bearer two'],
    ] as const;
    expect(credentialsOf(await forwarded(twice, pass))).toEqual([['Authorization', 'Bearer one']]);
    expect(credentialsOf(await forwarded([], pass))).toEqual([]);
  });

  it('is the credential of the configuration in place of that of the host, and without one (P-3.4)', async () => {
    const replace = { mode: 'replace', credential: 'Bearer of-the-gateway' } as const;
    for (const sent of [lines, []]) {
      expect(credentialsOf(await forwarded(sent, replace))).toEqual([['Authorization', 'Bearer of-the-gateway']]);
    }
  });
});
