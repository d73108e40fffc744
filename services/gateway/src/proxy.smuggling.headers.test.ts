import { beforeEach, describe, expect, it } from 'vitest';
import { CALL_BODY, CALL_LINES, type Lines, replaced, Smuggler } from '../test/smuggler.ts';

const VERSION = 'MCP-Protocol-Version';
const LEGACY: Lines = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
];

let smuggler: Smuggler;

beforeEach(async () => {
  smuggler = await Smuggler.open();
});

describe('a request whose headers and body disagree', () => {
  it.each([
    ['another method', replaced(CALL_LINES, ['Mcp-Method', 'tools/list']), CALL_BODY],
    ['its method in other letters', replaced(CALL_LINES, ['Mcp-Method', 'Tools/Call']), CALL_BODY],
    ['no method', CALL_LINES.filter(([name]) => name !== 'Mcp-Method'), CALL_BODY],
    ['an older version', replaced(CALL_LINES, [VERSION, '2025-11-25']), CALL_BODY],
    ['a newer version', replaced(CALL_LINES, [VERSION, '2099-01-01']), CALL_BODY],
    ['no version', CALL_LINES.filter(([name]) => name !== VERSION), CALL_BODY],
    ['this version over a body of an older one', CALL_LINES, CALL_BODY.replace('2026-07-28', '2025-11-25')],
    ['another name', replaced(CALL_LINES, ['Mcp-Name', 'other']), CALL_BODY],
    ['no name', CALL_LINES.filter(([name]) => name !== 'Mcp-Name'), CALL_BODY],
    ['a name that is no base64', replaced(CALL_LINES, ['Mcp-Name', '=?base64?%?=']), CALL_BODY],
    ['another name in base64', replaced(CALL_LINES, ['Mcp-Name', '=?base64?b3RoZXI=?=']), CALL_BODY],
  ])('by %s is refused and never seen by the upstream (P-2.4, FIELD B1, B3)', async (_, lines, body) => {
    expect(await smuggler.post(lines, body)).toEqual({ status: 400, code: -32020 });
    await smuggler.expectNothing();
  });
});

describe('a header that two servers may read in two ways', () => {
  const bare: Lines = [...LEGACY, [VERSION, '2025-11-25']];
  const INITIALIZE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

  it.each([
    ['two methods, ours last', [...CALL_LINES, ['Mcp-Method', 'tools/list']], CALL_BODY],
    ['two methods, ours first', [['Mcp-Method', 'tools/list'], ...CALL_LINES], CALL_BODY],
    ['the method twice', [...CALL_LINES, ['mcp-method', 'tools/call']], CALL_BODY],
    ['two versions', [...CALL_LINES, [VERSION, '2025-11-25']], CALL_BODY],
    ['the version twice', [...CALL_LINES, [VERSION, '2026-07-28']], CALL_BODY],
    ['two names', [...CALL_LINES, ['Mcp-Name', 'other']], CALL_BODY],
    ['two versions of a legacy request', [...bare, [VERSION, '2026-07-28']], INITIALIZE],
    ['two methods of a legacy request', [...bare, ['Mcp-Method', 'a'], ['Mcp-Method', 'b']], INITIALIZE],
    ['two versions of a notification', [...bare, [VERSION, '2026-07-28']], INITIALIZED],
    ['two types of the body', [...CALL_LINES, ['Content-Type', 'text/plain']], CALL_BODY],
    ['the type twice', [...CALL_LINES, ['Content-Type', 'application/json']], CALL_BODY],
    ['a method in the spelling of CGI', [...CALL_LINES, ['Mcp_Method', 'subscriptions/listen']], CALL_BODY],
    ['a version in the spelling of CGI', [...CALL_LINES, ['MCP_PROTOCOL_VERSION', '2025-11-25']], CALL_BODY],
    ['a name in a mixed spelling', [...CALL_LINES, ['mcp_Name', 'other']], CALL_BODY],
    ['a type in the spelling of CGI', [...CALL_LINES, ['Content_Type', 'text/plain']], CALL_BODY],
    ['a method that would be dropped on the way', [...CALL_LINES, ['Connection', 'close, Mcp-Method']], CALL_BODY],
    ['a version that would be dropped on the way', [...CALL_LINES, ['Connection', 'mcp-protocol-version']], CALL_BODY],
    ['a type that would be dropped on the way', [...CALL_LINES, ['Connection', 'x ,Content-Type']], CALL_BODY],
  ] satisfies [string, Lines, string][])('%s: is refused (P-2.4, FIELD B1)', async (_, lines, body) => {
    const answered = await smuggler.post(lines, body);
    expect(answered).toEqual({ status: 400, code: body === INITIALIZED ? undefined : -32020 });
    await smuggler.expectNothing();
  });

  it.each([
    ['two Host lines', [['Host', 'localhost'], ...CALL_LINES]],
    ['a type of two', replaced(CALL_LINES, ['Content-Type', 'application/json, text/plain'])],
    ['a type that is none', replaced(CALL_LINES, ['Content-Type', 'application/json-rpc'])],
    [
      'a charset in which the bytes say something else',
      replaced(CALL_LINES, ['Content-Type', 'application/json; charset=utf-7']),
    ],
    ['a charset in quotes', replaced(CALL_LINES, ['Content-Type', 'application/json ;CHARSET="UTF-16"'])],
    ['a coding that was not undone here', [...CALL_LINES, ['Content-Encoding', 'deflate']]],
    ['two codings', [...CALL_LINES, ['Content-Encoding', 'identity, gzip']]],
  ] satisfies [string, Lines][])('%s: is refused before the body is read', async (_, lines) => {
    const { status } = await smuggler.post(lines);
    expect([400, 415]).toContain(status);
    await smuggler.expectNothing();
  });
});
