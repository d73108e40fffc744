import { beforeEach, describe, expect, it } from 'vitest';
import { META } from '../test/proxied-host.ts';
import { CALL_BODY, CALL_LINES, type Lines, replaced, Smuggler } from '../test/smuggler.ts';

const VERSION = 'MCP-Protocol-Version';
const LEGACY: Lines = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
];
const LISTEN = { jsonrpc: '2.0', id: 'R1', method: 'subscriptions/listen', params: { _meta: META, notifications: {} } };

let smuggler: Smuggler;

beforeEach(async () => {
  smuggler = await Smuggler.open();
});

describe('a body that is not one message', () => {
  const call = JSON.parse(CALL_BODY);
  it.each([
    ['a batch of a listen', [LISTEN]],
    ['an empty batch', []],
    ['a batch of a listen and a call', [LISTEN, call]],
    ['a batch of a notification', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
    ['a batch of batches', [[call]]],
  ])('but %s is refused, in this revision and in one that had batches (P-2.2, FIELD A8)', async (_, batch) => {
    for (const lines of [CALL_LINES, [...LEGACY, [VERSION, '2025-03-26']] as Lines]) {
      for (const text of [JSON.stringify(batch), ` \r\n\t${JSON.stringify(batch)}`]) {
        expect(await smuggler.post(lines, text)).toEqual({ status: 400, code: -32600 });
      }
    }
    await smuggler.expectNothing();
  });

  it.each([
    ['two values', `${CALL_BODY}${CALL_BODY}`],
    ['lines of values', `${CALL_BODY}\n${CALL_BODY}`],
    ['a comment', `/**/${CALL_BODY}`],
    ['a trailing comma', CALL_BODY.replace(/\}$/, ',}')],
    ['single quotes', CALL_BODY.replaceAll('"', "'")],
    ['not a number', CALL_BODY.replace('"R1"', 'NaN')],
    ['a number with a leading zero', CALL_BODY.replace('"R1"', '01')],
    ['a control character in a string', CALL_BODY.replace('R1', 'R\n1')],
    ['UTF-16', Buffer.from(CALL_BODY, 'utf16le')],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${CALL_BODY}`, 'utf16le')],
    [
      'overlong UTF-8',
      Buffer.concat([Buffer.from(CALL_BODY.slice(0, 16)), Buffer.from([0xc0, 0xa2]), Buffer.from(CALL_BODY.slice(16))]),
    ],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
  ])('but %s, which some parsers take, is refused (P-2.2)', async (_, body) => {
    expect(await smuggler.post(CALL_LINES, body)).toEqual({ status: 400, code: -32700 });
    await smuggler.expectNothing();
  });

  it.each([
    ['method', CALL_BODY.replace('"method":', '"method":"tools/list","method":')],
    ['method by an escape', CALL_BODY.replace('"method":', '"m\\u0065thod":"subscriptions/listen","method":')],
    ['id', CALL_BODY.replace('"id":', '"id":7,"id":')],
    ['params', CALL_BODY.replace('"params":', '"params":{},"params":')],
    ['params.name', CALL_BODY.replace('"name":', '"name":"other","name":')],
    ['params.name by an escape', CALL_BODY.replace('"name":', '"\\u006e\\u0061me":"other","name":')],
    ['params._meta', CALL_BODY.replace('"_meta":', '"_meta":{},"_meta":')],
    [
      'a member of params._meta',
      CALL_BODY.replace('"io.model', '"io.modelcontextprotocol\\/protocolVersion":"2025-11-25","io.model'),
    ],
  ])('names %s twice and is refused: parsers differ in which they keep', async (_, body) => {
    expect(await smuggler.post(CALL_LINES, body)).toEqual({ status: 400, code: -32600 });
    await smuggler.expectNothing();
  });

  it('names a member once in letters that some parsers do not tell apart, and is refused', async () => {
    for (const body of [
      CALL_BODY.replace('"params":', '"Method":"subscriptions/listen","params":'),
      CALL_BODY.replace('"params":', '"PARAMS":{"name":"other"},"params":'),
      CALL_BODY.replace('"id":', '"ID":7,"id":'),
    ]) {
      expect(await smuggler.post(CALL_LINES, body)).toEqual({ status: 400, code: -32600 });
    }
    await smuggler.expectNothing();
  });
});

describe('a listen in disguise', () => {
  const { params, ...withoutParams } = LISTEN;
  const { id: _, ...withoutId } = LISTEN;
  const text = JSON.stringify(LISTEN);
  const old: Lines = [...LEGACY, [VERSION, '2025-11-25']];
  it.each([
    ['under the name of another method', replaced(CALL_LINES, ['Mcp-Method', 'tools/list']), text],
    ['without the header of its method', CALL_LINES.filter(([name]) => name !== 'Mcp-Method'), text],
    ['of an older version', replaced(CALL_LINES, [VERSION, '2025-11-25']), text],
    [
      'without metadata',
      replaced(CALL_LINES, ['Mcp-Method', LISTEN.method]),
      JSON.stringify({ ...LISTEN, params: { notifications: {} } }),
    ],
    ['without parameters', replaced(CALL_LINES, ['Mcp-Method', LISTEN.method]), JSON.stringify(withoutParams)],
    ['as a request of the 2025 era', old, JSON.stringify({ ...LISTEN, params: { notifications: {} } })],
    ['as one that names no version', LEGACY, JSON.stringify(withoutParams)],
    [
      'as one of the 2025 era with its own header',
      [...old, ['Mcp-Method', LISTEN.method]],
      JSON.stringify(withoutParams),
    ],
    ['spelled with escapes', old, JSON.stringify(withoutParams).replace('/listen', '\\u002flisten')],
    ['as a notification', replaced(CALL_LINES, ['Mcp-Method', LISTEN.method]), JSON.stringify(withoutId)],
    ['as a legacy notification', old, JSON.stringify({ jsonrpc: '2.0', method: LISTEN.method })],
    ['with an id that is null', old, JSON.stringify({ ...withoutParams, id: null })],
    ['as a response', old, JSON.stringify({ ...withoutParams, result: {} })],
    ['behind a byte-order mark', old, `\ufeff${JSON.stringify(withoutParams)}`],
    ['with parameters in a list', old, JSON.stringify({ ...withoutParams, params: [params] })],
  ] satisfies [string, Lines, string][])('%s is refused and never forwarded (SUB-12)', async (_, lines, body) => {
    const { status } = await smuggler.post(lines, body);
    expect(status).toBe(400);
    await smuggler.expectNothing();
  });

  it('in the body of a GET, a DELETE or a PUT stays there', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status } = await smuggler.post(CALL_LINES, text, `${method} /mcp HTTP/1.1`);
      expect(status).toBe(method === 'PUT' ? 405 : 202);
    }
    expect(smuggler.upstream.requests.map(({ method, body }) => [method, body.length])).toEqual([
      ['GET', 0],
      ['DELETE', 0],
    ]);
    for (const seen of smuggler.upstream.requests) expect(seen.values('content-length')).toEqual([]);
  });
});
