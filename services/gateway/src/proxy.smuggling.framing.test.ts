import { within } from '@listen-gateway/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { CALL, message, type Sent } from '../test/proxied-host.ts';
import { RawHost } from '../test/raw-host.ts';
import { CALL_BODY, CALL_LINES, type Lines, Smuggler, wire } from '../test/smuggler.ts';

let smuggler: Smuggler;

beforeEach(async () => {
  smuggler = await Smuggler.open();
});

describe('the framing of a request', () => {
  const chunked = `${Buffer.byteLength(CALL_BODY).toString(16)}\r\n${CALL_BODY}\r\n0\r\n\r\n`;

  it.each([
    [
      'two lengths',
      [
        ['Content-Length', '5'],
        ['Content-Length', String(CALL_BODY.length)],
      ],
      CALL_BODY,
    ],
    [
      'the length twice',
      [
        ['Content-Length', String(CALL_BODY.length)],
        ['Content-Length', String(CALL_BODY.length)],
      ],
      CALL_BODY,
    ],
    ['a list of lengths', [['Content-Length', `${CALL_BODY.length}, ${CALL_BODY.length}`]], CALL_BODY],
    ['a signed length', [['Content-Length', `+${CALL_BODY.length}`]], CALL_BODY],
    ['a length in hexadecimal', [['Content-Length', `0x${CALL_BODY.length.toString(16)}`]], CALL_BODY],
    ['a length that is none', [['Content-Length', 'abc']], CALL_BODY],
    [
      'a length and chunks',
      [
        ['Content-Length', '4'],
        ['Transfer-Encoding', 'chunked'],
      ],
      chunked,
    ],
    [
      'chunks and a length',
      [
        ['Transfer-Encoding', 'chunked'],
        ['Content-Length', String(chunked.length)],
      ],
      chunked,
    ],
    ['a coding that is none', [['Transfer-Encoding', 'xchunked']], chunked],
    ['chunks that are not last', [['Transfer-Encoding', 'chunked, identity']], chunked],
    ['white space before the colon', [['Transfer-Encoding ', 'chunked']], chunked],
    ['a folded line', [['X-Fold', 'a\r\n Transfer-Encoding: chunked']], CALL_BODY],
    ['a line that ends in LF alone', [['X-Bare', 'a\nTransfer-Encoding: chunked']], CALL_BODY],
    ['a NUL in a value', [['X-Nul', 'a\0b']], CALL_BODY],
    ['a chunk size with a sign', [['Transfer-Encoding', 'chunked']], `+${chunked}`],
    ['a chunk that is longer than it says', [['Transfer-Encoding', 'chunked']], chunked.replace(/^../, '05')],
    ['a chunk size above 64 bits', [['Transfer-Encoding', 'chunked']], `1${'0'.repeat(16)}${chunked}`],
  ] satisfies [string, Lines, string][])('by %s is refused', async (_, framing, body) => {
    expect((await smuggler.post([...CALL_LINES, ...framing], body)).status).toBe(400);
    await smuggler.expectNothing();
  });

  it.each([
    ['a coding beside chunks', [['Transfer-Encoding', 'gzip, chunked']], chunked],
    [
      'chunks on two lines',
      [
        ['Transfer-Encoding', 'gzip'],
        ['Transfer-Encoding', 'chunked'],
      ],
      chunked,
    ],
    [
      'extensions of chunks and trailers',
      [['Transfer-Encoding', 'chunked']],
      chunked.replace('\r\n', ';a=b\r\n').replace(/0\r\n\r\n$/, '0\r\nMcp-Method: x\r\n\r\n'),
    ],
  ] satisfies [string, Lines, string][])(
    'by %s is undone here or refused, and never passed on',
    async (_, framing, body) => {
      const { status } = await smuggler.post([...CALL_LINES, ...framing], body);
      expect([200, 400, 415]).toContain(status);
      for (const seen of smuggler.upstream.requests) {
        expect(seen.body.toString()).toBe(CALL_BODY);
        expect(seen.values('content-length')).toEqual([String(CALL_BODY.length)]);
        expect([seen.values('transfer-encoding'), seen.values('mcp-method')]).toEqual([[], ['tools/call']]);
      }
    },
  );

  it('cannot hide a request behind another: what follows is judged as a request of its own', async () => {
    const first = wire([...CALL_LINES, ['Content-Length', String(CALL_BODY.length)]], CALL_BODY);
    const host = (await RawHost.connect(smuggler.gateway.url)).send(first + wire([['Content-Length', '2']], '{}'));
    await host.until(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 4\d\d /, 'both answers');
    expect(smuggler.upstream.requests).toHaveLength(1);
  });

  it('that promises more than comes never begins at the upstream', async () => {
    const host = await RawHost.connect(smuggler.gateway.url);
    host.send(wire([...CALL_LINES, ['Content-Length', String(CALL_BODY.length + 1)]], CALL_BODY));
    host.socket.end();
    await within(5_000, 'the end of the connection', host.ended);
    await smuggler.expectNothing();
  });

  it('above the limit is refused with 413 and never begins at the upstream (FIELD B23)', async () => {
    smuggler = await Smuggler.open({ limits: { bodyBytes: 1_000 } });
    const large = CALL_BODY.replace('{}', JSON.stringify({ text: 'x'.repeat(1_000) }));
    expect((await smuggler.post(CALL_LINES, large)).status).toBe(413);
    const inChunks = `${Buffer.byteLength(large).toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    expect((await smuggler.post([...CALL_LINES, ['Transfer-Encoding', 'chunked']], inChunks)).status).toBe(413);
    await smuggler.expectNothing();
  });
});

describe('the target of a request', () => {
  it.each([
    ['/mcp', '/base/mcp?key=1'],
    ['/mcp/default', '/base/mcp?key=1'],
    ['/mcp?', '/base/mcp?key=1&'],
    ['/mcp?a=%2F&b=c?d', '/base/mcp?key=1&a=%2F&b=c?d'],
    ['http://other.example/mcp?x=1', '/base/mcp?key=1&x=1'],
  ])('%s is %s at the upstream: nothing but the query comes from the host', async (target, expected) => {
    smuggler = await Smuggler.open({ path: '/base/mcp?key=1' });
    expect((await smuggler.post(CALL_LINES, CALL_BODY, `POST ${target} HTTP/1.1`)).status).toBe(200);
    expect(smuggler.upstream.requests[0]?.url).toBe(expected);
    expect(smuggler.upstream.requests[0]?.values('host')).toEqual([new URL(smuggler.upstream.url).host]);
  });

  it.each(['/mcp/../admin', '//mcp', '/mcp/other', '/mcp/default/..', '/mcp%2f', '/mcp;x=1', '*'])(
    '%s leads nowhere',
    async (target) => {
      const { status } = await smuggler.post(CALL_LINES, CALL_BODY, `POST ${target} HTTP/1.1`);
      expect([400, 404]).toContain(status);
      await smuggler.expectNothing();
    },
  );
});

describe('what is forwarded', () => {
  it.each([
    ['a call', CALL],
    [
      'a name in base64',
      {
        ...message('tools/call', { name: 'größe' }),
        headers: { ...message('tools/call', { name: 'größe' }).headers, 'Mcp-Name': '=?base64?Z3LDtsOfZQ==?=' },
      },
    ],
    [
      'odd white space and numbers',
      {
        ...CALL,
        body: `\n ${CALL_BODY.replace('"arguments":{}', '"arguments" : {"a": 1.0, "b":1E400,"c":-0, "d":"\\u00e9\\ud800"}')}\t\r\n`,
      },
    ],
    [
      'a deep body',
      {
        ...CALL,
        body: CALL_BODY.replace('"arguments":{}', `"arguments":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
      },
    ],
    [
      'members that only the tool knows, twice',
      { ...CALL, body: CALL_BODY.replace('"arguments":{}', '"arguments":{"a":1,"a":2}') },
    ],
  ] satisfies [string, Sent][])(
    'of %s are the bytes that were checked, with the headers that were (P-2.11)',
    async (_, sent) => {
      const { status } = await smuggler.post(
        Object.entries(sent.headers ?? {}) as [string, string][],
        String(sent.body),
      );
      expect(status).toBe(200);
      const [seen] = smuggler.upstream.requests;
      expect(seen?.body.toString()).toBe(sent.body);
      for (const [name, value] of Object.entries(sent.headers ?? {})) expect(seen?.values(name)).toEqual([value]);
    },
  );
});
