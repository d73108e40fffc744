import { listenBody, openListen, type RpcMessage, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

const L0 = listenBody('L1', { toolsListChanged: true });
const NOTIFICATION = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'L1' } });
/** Headers as the official client sends them with a notification: no `Mcp-Method`. */
const BARE = { 'Mcp-Method': undefined };

interface Answer {
  readonly status: number;
  readonly body: RpcMessage;
}

/** Sends a body to the endpoint; shows afterwards that the next request is served. */
async function post(
  gateway: TestGateway,
  body: string,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const answer = await openListen(gateway.url, { body, headers });
  const json = await answer.json();
  (await gateway.open()).close();
  return { status: answer.status, body: json };
}

/** L0 with one member of the request, or of its parameters, in another's place. */
const variant = (members: object) => JSON.stringify({ ...JSON.parse(L0), ...members });
const paramsVariant = (members: object) => variant({ params: { ...JSON.parse(L0).params, ...members } });
const meta = (members: object) => paramsVariant({ _meta: { ...JSON.parse(L0).params._meta, ...members } });

describe('the body of a POST', () => {
  it.each([
    ['a batch of one', `[${L0}]`],
    ['an empty batch', '[]'],
    ['a batch of two', `[${L0},${L0}]`],
    ['a batch of a notification', `[${NOTIFICATION}]`],
    ['a batch behind white space', ` \r\n\t[${L0}]`],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['an error response', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'],
    ['a wrong version', '{"jsonrpc":"1.0","id":1,"method":"x"}'],
    ['no method', '{"id":1}'],
    ['a string', '"hello"'],
    ['a number', '7'],
    ['null', 'null'],
    ['a method that is null', variant({ method: null })],
    ['a method that is a number', variant({ method: 5 })],
  ])('that is or has %s is an invalid request (P-2.2, FIELD A8, A10, A13)', async (_, body) => {
    const answer = await post(await openGateway(), body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    expect(answer.body).not.toHaveProperty('result');
  });

  it.each([
    ['cut text', Buffer.from('{bad')],
    ['nothing', Buffer.from('')],
    ['text cut inside a character', Buffer.from(variant({ id: 'é' })).subarray(0, 24)],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['two values', Buffer.from(`${L0}${L0}`)],
  ])('that holds %s is a parse error without an id, and none of ours (P-2.2, P-2.14, FIELD A11)', async (_, bytes) => {
    const gateway = await openGateway();
    const head = rawPost({ body: '' }).replace('Content-Length: 0', `Content-Length: ${bytes.length}`);
    const host = (await RawHost.connect(gateway.url)).send(head).send(bytes);
    const [, body = ''] = await host.until(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n(\{.*\})/, 'the refusal');
    expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } });
    expect(gateway.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('may begin with a byte-order mark (FIELD A15)', async () => {
    const gateway = await openGateway();
    const stream = await openListen(gateway.url, { body: `\uFEFF${L0}` });
    expect(stream.status).toBe(200);
  });

  it.each([
    ['params null', variant({ params: null })],
    ['params []', variant({ params: [] })],
    ['params "x"', variant({ params: 'x' })],
    ['_meta null', paramsVariant({ _meta: null })],
    ['_meta []', paramsVariant({ _meta: [] })],
    ['no clientCapabilities in _meta', meta({ 'io.modelcontextprotocol/clientCapabilities': undefined })],
    ['clientCapabilities null', meta({ 'io.modelcontextprotocol/clientCapabilities': null })],
    ['a protocolVersion that is a number', meta({ 'io.modelcontextprotocol/protocolVersion': 7 })],
  ])('with %s has invalid params (P-2.5, P-2.14, FIELD A13)', async (_, body) => {
    const answer = await post(await openGateway(), body);
    expect(answer).toMatchObject({ status: 400, body: { id: 'L1', error: { code: -32602 } } });
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a list', []],
    ['a string', 'x'],
    ['one with a flag in words', { toolsListChanged: 'true' }],
    ['one with a URI in place of URIs', { resourceSubscriptions: 'file:///a' }],
    ['one with URIs that are none', { resourceSubscriptions: [1, null] }],
    ['one with task ids that are none', { taskIds: [{}] }],
  ])('with a filter that is %s opens no stream (P-1.2, P-2.14, FIELD A20)', async (_, notifications) => {
    const gateway = await openGateway();
    const answer = await post(gateway, paramsVariant({ notifications }));
    expect(answer).toMatchObject({ status: 400, body: { id: 'L1', error: { code: -32602 } } });
    expect(await gateway.metric('lg_streams_opened_total'), 'only the listen that followed').toBe(1);
  });
});

describe('a request', () => {
  it('of another version is told which are supported (P-2.6)', async () => {
    const body = meta({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' });
    const answer = await post(await openGateway(), body, { 'MCP-Protocol-Version': '2099-01-01' });
    expect(answer).toMatchObject({
      status: 400,
      body: { id: 'L1', error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } } },
    });
  });

  it('of the 2025 era is told which versions are supported (P-2.6, P-5)', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const headers = { ...BARE, 'MCP-Protocol-Version': undefined };
    const answer = await post(await openGateway(), JSON.stringify(initialize), headers);
    expect(answer).toMatchObject({
      status: 400,
      body: { id: 0, error: { code: -32022, data: { supported: ['2026-07-28'] } } },
    });
  });

  it('for an unknown method gets 404 and its id (P-2.7, SUB-18, FIELD B8)', async () => {
    const answer = await post(await openGateway(), variant({ method: 'no/such' }), { 'Mcp-Method': 'no/such' });
    expect(answer).toMatchObject({ status: 404, body: { id: 'L1', error: { code: -32601 } } });
  });
});

describe('a notification', () => {
  it.each([
    'notifications/cancelled',
    'notifications/initialized',
    'notifications/roots/list_changed',
    'notifications/progress',
    'notifications/of-tomorrow',
  ])(
    '%s is accepted with 202 and no body, with and without the header of its method (P-2.3, SUB-17, SUB-18)',
    async (method) => {
      const gateway = await openGateway();
      for (const headers of [BARE, { 'Mcp-Method': method }]) {
        const answer = await openListen(gateway.url, { body: JSON.stringify({ jsonrpc: '2.0', method }), headers });
        await answer.ended;
        expect([answer.status, answer.text]).toEqual([202, '']);
      }
    },
  );

  it('that cancels a listen ends nobody’s stream (P-1.7)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ id: 'L1' });
    const answer = await openListen(gateway.url, { body: NOTIFICATION, headers: BARE });
    expect(answer.status).toBe(202);
    await gateway.publish({ kind: 'tools' });
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
  });

  it('that is not accepted gets a 4xx and no JSON-RPC body (P-2.3, SUB-18)', async () => {
    const gateway = await openGateway();
    const answer = await openListen(gateway.url, { body: NOTIFICATION, headers: { 'Mcp-Method': 'tools/list' } });
    expect(answer.status).toBe(400);
    await within(5_000, 'the end of the answer', answer.ended);
    expect(answer.text).toBe('');
  });
});
