import { LISTEN_HEADERS, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost } from '../test/raw-host.ts';
import { openGateway } from '../test/test-gateway.ts';

describe('the endpoint', () => {
  it.each([
    ['GET', { Accept: 'text/event-stream' }],
    ['GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' }],
    ['DELETE', { 'Mcp-Session-Id': 'abc' }],
    ['PUT', LISTEN_HEADERS],
    ['PATCH', LISTEN_HEADERS],
    ['OPTIONS', {}],
    ['HEAD', {}],
  ])('answers %s with 405 and Allow: POST at once (P-2.1, FIELD B15)', async (method, headers) => {
    const gateway = await openGateway();
    for (const path of ['', '/default', '/unknown']) {
      const answer = await fetch(`${gateway.url}${path}`, { method, headers, signal: AbortSignal.timeout(5_000) });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      const text = await answer.text();
      if (method === 'HEAD') expect(text).toBe('');
      else expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    }
  });

  it('answers any other path with 404 as a JSON-RPC error', async () => {
    const { gateway } = await openGateway();
    for (const path of ['/', '/mcp/', '/mcp/default/more', '/MCP', '/metrics', '/readyz', '/mcp/%2e%2e']) {
      const answer = await openListen(`${gateway.url}${path}`);
      expect([path, answer.status, (await answer.json()).error?.code]).toEqual([path, 404, -32601]);
    }
  });

  it.each(['unknown', 'constructor', '__proto__', 'DEFAULT', '%00', 'a%2Fb'])(
    'of a server %s that nobody configured gets 404 as a JSON-RPC error without an id (P-2.14)',
    async (server) => {
      const gateway = await openGateway();
      const answer = await openListen(`${gateway.url}/${server}`);
      expect(answer.status).toBe(404);
      const body = await answer.json();
      expect(body.error?.message).toContain('is configured here');
      expect(body).not.toHaveProperty('id');
    },
  );

  it.each([
    ['a request line that is none', 'LISTEN\r\n\r\n'],
    ['no Host', 'POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n'],
    ['a Host that is none', 'POST /mcp HTTP/1.1\r\nHost: a b\r\nContent-Length: 0\r\n\r\n'],
    ['a length that is no number', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n{}'],
    ['two lengths', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'a length beside chunks',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('answers %s with 400 (FIELD B23)', async (_, bytes) => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(bytes);
    await host.until(/^HTTP\/1\.1 400 /, 'the refusal');
    (await gateway.open()).close();
  });

  it('answers header fields of more than 16 KiB with 431', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
    );
    await host.until(/^HTTP\/1\.1 431 /, 'the refusal');
  });
});
