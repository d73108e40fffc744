import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CALL, openProxy, send } from '../test/proxied-host.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { type RawConnection, RawUpstream } from '../test/raw-upstream.ts';
import { answerWith, StubUpstream } from '../test/stub-upstream.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Odd but valid: a host may depend on what a parser would not give back. */
const ODD_JSON =
  ' {"jsonrpc" : "2.0",\r\n"id":"R1","result":{"n":1.0,"big":12345678901234567890,"e":1E5,"é":"\\u00e9\u2028","n":2}}\n\n';
/** The first answer on a connection, byte for byte. */
const raw = (bytes: string) => (connection: RawConnection) => {
  connection.socket.once('data', () => connection.socket.write(bytes, 'latin1'));
};

describe('the answer of an upstream', () => {
  it('comes through byte for byte, whatever a JSON parser would make of it (P-2.11)', async () => {
    const upstream = await StubUpstream.open(answerWith(200, JSON_TYPE, ODD_JSON));
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect(await answer.end()).toBe('complete');
    expect(answer.text).toBe(ODD_JSON);
  });

  it.each([
    ['gzip', gzipSync(ODD_JSON)],
    ['br', brotliCompressSync(ODD_JSON)],
    ['x-unheard-of', Buffer.from([0, 255, 128, 10, 13])],
  ])('compressed as %s comes through so, with its length (FIELD F9)', async (coding, body) => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': coding, 'Content-Length': String(body.length) };
    const upstream = await StubUpstream.open(answerWith(200, headers, body));
    const { url } = await openProxy(upstream.url);
    const answer = await send(url, { ...CALL, headers: { ...CALL.headers, 'Accept-Encoding': 'gzip, br' } }).answer();
    await answer.end();
    expect(answer.bytes.equals(body)).toBe(true);
    expect(answer.values('content-encoding')).toEqual([coding]);
    expect(answer.values('content-length')).toEqual([String(body.length)]);
    expect(answer.values('transfer-encoding')).toEqual([]);
    expect((await upstream.request()).values('accept-encoding')).toEqual(['gzip, br']);
  });

  it.each([
    [400, -32021, { requiredCapabilities: { sampling: {} } }],
    [400, -32020, undefined],
    [404, -32601, undefined],
    [200, -32602, { why: 'x' }],
    [500, -32603, undefined],
    [401, -32603, undefined],
    [429, -32603, { retryAfterMs: 5 }],
    [503, -32603, undefined],
  ])('with status %i and the JSON-RPC error %i keeps both', async (status, code, data) => {
    const error = { jsonrpc: '2.0', id: 'R1', error: { code, message: 'of the upstream', ...(data && { data }) } };
    const headers = {
      ...JSON_TYPE,
      'Retry-After': '7',
      'WWW-Authenticate': 'Bearer resource_metadata="https://a.example"',
    };
    const upstream = await StubUpstream.open(answerWith(status, headers, JSON.stringify(error)));
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect([answer.status, await answer.json()]).toEqual([status, error]);
    expect(answer.values('retry-after')).toEqual(['7']);
    expect(answer.values('www-authenticate')).toEqual(['Bearer resource_metadata="https://a.example"']);
  });

  it.each([
    [200, ''],
    [202, ''],
    [204, undefined],
    [304, undefined],
    [301, 'moved'],
    [299, 'odd'],
    [599, 'odder'],
  ])('with status %i and the body %j keeps both, and the connection', async (status, body) => {
    const upstream = await StubUpstream.open(answerWith(status, { ETag: '"1"', Location: '/elsewhere' }, body));
    const { url } = await openProxy(upstream.url);
    for (const _ of [1, 2]) {
      const answer = await send(url, CALL).answer();
      expect([answer.status, await answer.end(), answer.text]).toEqual([status, 'complete', body ?? '']);
      expect([answer.values('etag'), answer.values('location')]).toEqual([['"1"'], ['/elsewhere']]);
    }
    expect(upstream.connections).toBe(1);
  });

  it.each([
    ['418 I am a teapot', 418, 'I am a teapot'],
    ['200 ', 200, ''],
    ['200', 200, ''],
    // Nobody may depend on a reason; one that Node does not write is left out.
    ['200 caf\u00e9', 200, ''],
    ['200 caf\u00c3\u00a9', 200, ''],
    ['200 a\tb', 200, ''],
  ])('with the status line %j keeps its reason', async (line, status, reason) => {
    const upstream = await RawUpstream.open(raw(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nok`));
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    await answer.end();
    expect([answer.status, answer.reason, answer.text]).toEqual([status, reason, 'ok']);
  });

  it('keeps its cookies apart, its order and its bytes above ASCII, and loses what is of its connection', async () => {
    const head = [
      'HTTP/1.1 200 OK',
      'content-TYPE: application/json',
      'Set-Cookie: a=1; Expires=Mon, 30 Nov 2026 00:00:00 GMT',
      'Connection: keep-alive, X-Hop',
      'Keep-Alive: timeout=9',
      'X-Hop: 1',
      'set-cookie: b=2',
      'X-Latin: caf\u00e9',
      'Date: Mon, 30 Nov 2026 00:00:00 GMT',
      'Content-Length: 2',
    ];
    const upstream = await RawUpstream.open(raw(`${head.join('\r\n')}\r\n\r\n{}`));
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    await answer.end();
    const own = answer.rawHeaders.filter((_, at, all) => !/^(connection|keep-alive)$/i.test(all[at - (at % 2)] ?? ''));
    expect(own).toEqual([
      ...['content-TYPE', 'application/json'],
      ...['Set-Cookie', 'a=1; Expires=Mon, 30 Nov 2026 00:00:00 GMT'],
      ...['set-cookie', 'b=2'],
      ...['X-Latin', 'caf\u00e9'],
      ...['Date', 'Mon, 30 Nov 2026 00:00:00 GMT'],
      ...['Content-Length', '2'],
    ]);
    expect(answer.values('keep-alive')).not.toEqual(['timeout=9']);
  });

  it('keeps the bytes of a head that comes long before its body', async () => {
    const upstream = await RawUpstream.open(
      raw('HTTP/1.1 200 OK\r\nX-Latin: caf\u00e9\r\nDate: then\r\nTransfer-Encoding: chunked\r\n\r\n'),
    );
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect([answer.values('x-latin'), answer.values('date')]).toEqual([['caf\u00e9'], ['then']]);
    (await upstream.connection()).socket.write('2\r\n{}\r\n0\r\n\r\n');
    expect([await answer.end(), answer.text]).toEqual(['complete', '{}']);
  });

  it.each(['application/json', 'text/event-stream', 'text/html'])(
    'comes through to a host that accepts %s, if the upstream says so (P-2.11)',
    async (accept) => {
      const upstream = await StubUpstream.open();
      const { url } = await openProxy(upstream.url);
      const answer = await send(url, { ...CALL, headers: { ...CALL.headers, Accept: accept } }).answer();
      expect(answer.status).toBe(200);
      expect((await upstream.request()).values('accept')).toEqual([accept]);
    },
  );

  it('without a Date gets one', async () => {
    const upstream = await RawUpstream.open(raw('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect(answer.values('date')).toHaveLength(1);
  });

  it('in chunks with extensions and trailers brings its body; the trailers, which no host asked for, are dropped', async () => {
    const upstream = await RawUpstream.open(
      raw(
        'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-Sum: 7\r\nSet-Cookie: evil=1\r\n\r\n',
      ),
    );
    const { url } = await openProxy(upstream.url);
    const headers = Object.entries({ ...CALL.headers, Host: 'localhost' }) as [string, string][];
    const host = (await RawHost.connect(url)).send(rawPost({ headers, body: String(CALL.body) }));
    await host.until(/0\r\n\r\n$/, 'the last chunk');
    expect(host.text).toMatch(/\r\n\r\n2\r\n\{\}\r\n0\r\n\r\n$/);
    expect(host.text).not.toMatch(/X-Sum|evil/);
  });

  it('behind an early 103 is the one that comes through', async () => {
    const upstream = await RawUpstream.open(
      raw('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
    );
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect([answer.status, await answer.end(), answer.text]).toEqual([200, 'complete', '{}']);
    expect(answer.values('link')).toEqual([]);
  });

  it('that ends with its connection is whole', async () => {
    const upstream = await RawUpstream.open(({ socket }) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    });
    const answer = await send((await openProxy(upstream.url)).url, CALL).answer();
    expect([await answer.end(), answer.text]).toEqual(['complete', 'all of it']);
  });
});
