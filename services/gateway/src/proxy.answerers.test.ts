import { freePort } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CALL, type HostAnswer, legacyMessage, message, openProxy, type Sent, send } from '../test/proxied-host.ts';
import { StubUpstream } from '../test/stub-upstream.ts';
import { ACKNOWLEDGED, openGateway, type TestGateway } from '../test/test-gateway.ts';
import { ANSWERERS, type Answerer, type MessageSort } from './http/answerers.ts';

/** What hosts send, by what it is to the gateway. */
const SAMPLES: Readonly<Record<MessageSort, Readonly<Record<string, Sent>>>> = {
  listen: { listen: message('subscriptions/listen', { notifications: { toolsListChanged: true } }) },
  discover: { discover: message('server/discover') },
  cancelled: { cancelled: message('notifications/cancelled', { requestId: 'R1' }, null) },
  notification: { progress: message('notifications/progress', {}, null), unknown: message('no/such', {}, null) },
  request: {
    call: CALL,
    list: message('tools/list'),
    unknown: message('no/such'),
    ping: message('ping', {}, 0),
  },
  legacy: {
    initialize: legacyMessage({ jsonrpc: '2.0', id: 'R1', method: 'initialize', params: {} }),
    initialized: legacyMessage({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    cancelled: legacyMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    response: legacyMessage({ jsonrpc: '2.0', id: 1, result: {} }),
    call: legacyMessage({ jsonrpc: '2.0', id: 'R1', method: 'tools/call', params: { name: 'work' } }),
  },
  session: {
    stream: { method: 'GET', headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' } },
    end: { method: 'DELETE', headers: { 'Mcp-Session-Id': 'abc' } },
  },
};

/** What is answered in place of an upstream, status and JSON-RPC code; no code is no body. */
const REFUSALS: Readonly<Record<string, readonly [number, number?]>> = {
  'request call': [404, -32601],
  'request list': [404, -32601],
  'request unknown': [404, -32601],
  'request ping': [404, -32601],
  'legacy initialize': [400, -32022],
  'legacy initialized': [202],
  'legacy cancelled': [202],
  'legacy response': [400, -32600],
  'legacy call': [400, -32022],
  'session stream': [405, -32600],
  'session end': [405, -32600],
};

const cells = Object.entries(SAMPLES).flatMap(([sort, samples]) =>
  Object.entries(samples).map(([name, sent]) => ({ sort: sort as MessageSort, name, sent })),
);
const idOf = ({ body }: Sent): unknown => (body === undefined ? undefined : JSON.parse(String(body)).id);
const codeOf = (text: string) => (text === '' ? undefined : JSON.parse(text).error?.code);

async function ask(gateway: TestGateway, sent: Sent): Promise<HostAnswer> {
  const answer = await send(gateway.url, sent).answer();
  if (answer.values('content-type')[0] !== 'text/event-stream') await answer.end();
  return answer;
}

/** What each answerer but `forward` and `refuse` says, whatever stands behind the gateway. */
async function expectOwn(answerer: Answerer, answer: HostAnswer): Promise<void> {
  switch (answerer) {
    case 'listen':
      expect(answer.status).toBe(200);
      return answer.shows(ACKNOWLEDGED);
    case 'discover':
      expect([answer.status, (await answer.json()).result?.resultType]).toEqual([200, 'complete']);
      return;
    case 'accept':
      expect([answer.status, answer.text]).toEqual([202, '']);
      return;
    default:
      throw new Error(`${answerer} depends on the upstream`);
  }
}

describe('with an upstream', () => {
  it.each(cells)('a $sort ($name) is answered as the table says (P-2.3, P-2.11)', async ({ sort, sent }) => {
    const answerer = ANSWERERS[sort].withUpstream;
    const upstream = await StubUpstream.open();
    const answer = await ask(await openProxy(upstream.url), sent);
    const seen = upstream.requests.filter(({ body }) => body.toString() === String(sent.body ?? ''));
    if (answerer === 'forward') {
      expect(seen.map(({ method }) => method)).toEqual([sent.method ?? 'POST']);
      for (const [name, value] of Object.entries(sent.headers ?? {})) expect(seen[0]?.values(name)).toEqual([value]);
      expect(answer.status).toBe(idOf(sent) === undefined ? 202 : 200);
    } else {
      expect(seen, 'the upstream never sees it').toEqual([]);
      await expectOwn(answerer, answer);
    }
  });
});

describe('alone', () => {
  it.each(cells)(
    'a $sort ($name) is answered as the table says (P-2.1, P-2.6, P-2.7)',
    async ({ sort, name, sent }) => {
      const answerer = ANSWERERS[sort].alone;
      const answer = await ask(await openGateway(), sent);
      if (answerer !== 'refuse') return expectOwn(answerer, answer);
      const [status, code] = REFUSALS[`${sort} ${name}`] ?? [];
      expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
      if (code !== undefined && sort !== 'session') expect(JSON.parse(answer.text).id).toBe(idOf(sent));
    },
  );
});

describe('with an upstream that is down', () => {
  it.each(cells)('a $sort ($name) is answered as the table says (P-2.14, SUB-18)', async ({ sort, sent }) => {
    const answerer = ANSWERERS[sort].withUpstream;
    const gateway = await openProxy(`http://127.0.0.1:${await freePort()}/mcp`);
    const answer = await ask(gateway, sent);
    if (answerer !== 'forward') return expectOwn(answerer, answer);
    expect(answer.status).toBe(502);
    const isRequest = idOf(sent) !== undefined && 'method' in JSON.parse(String(sent.body));
    if (isRequest) expect(JSON.parse(answer.text)).toMatchObject({ id: idOf(sent), error: { code: -32603 } });
    else if (sort === 'session') expect(JSON.parse(answer.text)).not.toHaveProperty('id');
    else expect(answer.text).toBe('');
  });
});
