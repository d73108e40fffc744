import { freePort, within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { RawUpstream } from '../../test/raw-upstream.ts';
import { type Answer, answerWith, StubUpstream } from '../../test/stub-upstream.ts';
import { TrustedProxies } from '../http/trusted-proxies.ts';
import { Upstream } from './upstream.ts';

const RESULT = { resultType: 'complete', capabilities: { tools: {} }, text: 'größer' };
const RESPONSE = JSON.stringify({ jsonrpc: '2.0', id: 'discover', result: RESULT });
const EVENTS = { 'Content-Type': 'text/event-stream' };
const opened: Upstream[] = [];

afterEach(async () => {
  for (const upstream of opened.splice(0)) await upstream.close();
});

function upstreamAt(url: string, headTimeoutMs = 5_000): Upstream {
  const upstream = new Upstream({
    url,
    authorization: { mode: 'off' },
    proxies: new TrustedProxies(),
    connectTimeoutMs: 1_000,
    headTimeoutMs,
  });
  opened.push(upstream);
  return upstream;
}

async function ask(answer: Answer, headTimeoutMs?: number) {
  const stub = await StubUpstream.open(answer);
  return within(5_000, 'an answer', upstreamAt(stub.url, headTimeoutMs).askDiscover(undefined));
}

describe('an upstream that is asked server/discover', () => {
  it('sees a request of this revision, complete by itself, with the credential that goes there (P-2.4, P-2.5, P-3.4)', async () => {
    const stub = await StubUpstream.open();
    await upstreamAt(`${stub.url}?key=1`).askDiscover('Bearer of-the-host');
    await upstreamAt(stub.url).askDiscover(undefined);
    const [bearing, bare] = [await stub.request(1), await stub.request(2)];
    expect([bearing.method, bearing.url]).toEqual(['POST', '/mcp?key=1']);
    expect(bearing.json).toMatchObject({
      jsonrpc: '2.0',
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    expect(bearing.values('mcp-protocol-version')).toEqual(['2026-07-28']);
    expect(bearing.values('mcp-method')).toEqual(['server/discover']);
    expect([bearing.values('authorization'), bare.values('authorization')]).toEqual([['Bearer of-the-host'], []]);
  });

  it.each([
    ['JSON', { 'Content-Type': 'application/json; charset=utf-8' }, RESPONSE],
    ['one event', EVENTS, `event: message\ndata: ${RESPONSE}\n\n`],
    ['an event without a space', EVENTS, `data:${RESPONSE}\n\n`],
    ['an event in other line ends', EVENTS, `: hello\r\n\r\nid: 1\r\ndata: ${RESPONSE}\r\n\r\n`],
    ['an event of several lines', EVENTS, `data: ${RESPONSE.replace(',', ',\ndata: ')}\n\n`],
    [
      'the last of several events',
      { 'Content-Type': 'Text/Event-Stream' },
      `data: {"method":"x"}\n\ndata: ${RESPONSE}\n\n`,
    ],
  ])('may answer by %s', async (_, headers, body) => {
    expect(await ask(answerWith(200, headers, body))).toEqual({ kind: 'result', result: RESULT });
  });

  it.each([
    ['an error', 404, JSON.stringify({ jsonrpc: '2.0', id: 'discover', error: { code: -32601, message: 'x' } })],
    ['an error of an earlier revision', 400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}'],
    ['a page', 200, '<html></html>'],
    ['nothing', 204, undefined],
    ['no result', 200, '{"jsonrpc":"2.0","id":"discover","result":null}'],
    ['a list', 200, '{"jsonrpc":"2.0","id":"discover","result":[]}'],
    ['null', 200, 'null'],
  ])('has refused where it answers by %s', async (_, status, body) => {
    expect(await ask(answerWith(status, {}, body))).toEqual({ kind: 'refused' });
  });

  it('cannot be reached where nobody listens', async () => {
    expect(await upstreamAt(`http://127.0.0.1:${await freePort()}/mcp`).askDiscover(undefined)).toEqual({
      kind: 'unreachable',
    });
  });

  it.each([
    ['says nothing', () => {}],
    [
      'begins an answer and does not end it',
      ({ response }) => response.writeHead(200, EVENTS).write(`data: ${RESPONSE}\n\n`),
    ],
  ] satisfies [string, Answer][])('is as good as unreachable where it %s within headTimeoutMs', async (_, answer) => {
    expect(await ask(answer, 300)).toEqual({ kind: 'unreachable' });
  });

  it('is as good as unreachable where its answer has no end, and is left', async () => {
    const raw = await RawUpstream.open(({ socket }) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const pour = () => {
          while (!socket.destroyed && socket.write(' '.repeat(65_536)));
        };
        socket.on('drain', pour);
        pour();
      });
    });
    expect(await within(5_000, 'an answer', upstreamAt(raw.url).askDiscover(undefined))).toEqual({
      kind: 'unreachable',
    });
    await within(5_000, 'the upstream to be left', (await raw.connection()).over);
  });
});
