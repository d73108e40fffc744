import { LISTEN_HEADERS, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway } from '../test/test-gateway.ts';

const VERSION = 'MCP-Protocol-Version';
const { 'Mcp-Method': METHOD, ...OTHERS } = LISTEN_HEADERS;

/** Sends the canonical listen with these header lines in place of those of the same name; answers the status line's code. */
async function statusOf(url: string, ...lines: readonly (readonly [string, string])[]): Promise<string> {
  const names = new Set(lines.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(LISTEN_HEADERS).filter(([name]) => !names.has(name.toLowerCase()));
  const host = (await RawHost.connect(url)).send(rawPost({ headers: [['Host', 'localhost'], ...kept, ...lines] }));
  const [, status = ''] = await host.until(/^HTTP\/1\.1 (\d{3}) /, 'the status line');
  return status;
}

describe('the headers of a listen', () => {
  it.each([
    ['no Mcp-Method', { 'Mcp-Method': undefined }, ['Mcp-Method']],
    ['another Mcp-Method', { 'Mcp-Method': 'tools/list' }, ['Mcp-Method', 'tools/list', METHOD]],
    ['an empty Mcp-Method', { 'Mcp-Method': '' }, ['Mcp-Method']],
    ['an Mcp-Method in other letters', { 'Mcp-Method': 'Subscriptions/Listen' }, ['Mcp-Method']],
    ['no version', { [VERSION]: undefined }, ['MCP-Protocol-Version']],
    ['an older version', { [VERSION]: '2025-11-25' }, ['2025-11-25', '2026-07-28']],
    ['a newer version', { [VERSION]: '2099-01-01' }, ['2099-01-01', '2026-07-28']],
  ])('with %s are refused, and the message names what differs (P-2.4, FIELD B1, B3, B6)', async (_, headers, named) => {
    const gateway = await openGateway();
    const answer = await openListen(gateway.url, { headers });
    expect(answer.status).toBe(400);
    const { id, error } = await answer.json();
    expect([id, error?.code]).toEqual(['L1', -32020]);
    for (const word of named) expect(error?.message.toLowerCase()).toContain(word.toLowerCase());
  });

  it('with the current version over a body of an older one are refused as a mismatch (P-2.4, FIELD B3)', async () => {
    const gateway = await openGateway();
    const body = rawBodyOf('2025-11-25');
    const answer = await openListen(gateway.url, { body });
    expect(answer.status).toBe(400);
    const { error } = await answer.json();
    expect(error?.code).toBe(-32020);
    expect(error?.message).toMatch(/2025-11-25/);
    expect(error?.message).toMatch(/2026-07-28/);
  });

  it('have names in any letters and values without the white space around them (FIELD B6)', async () => {
    const { url } = await openGateway();
    expect(await statusOf(url, ['Mcp-Method', `  \t${METHOD}  `])).toBe('200');
    expect(await statusOf(url, ['MCP-METHOD', METHOD], ['mcp-protocol-version', '2026-07-28'])).toBe('200');
  });

  it('that mirror the body are not given twice (P-2.4, FIELD B1)', async () => {
    const { url } = await openGateway();
    expect(await statusOf(url, ['Mcp-Method', 'tools/list'], ['Mcp-Method', METHOD])).toBe('400');
    expect(await statusOf(url, ['Mcp-Method', METHOD], ['Mcp-Method', 'tools/list'])).toBe('400');
  });

  it.each([
    ['*/*'],
    ['text/*, application/*'],
    ['text/event-stream, application/json'],
    ['application/json;charset=utf-8, text/event-stream;q=0.5'],
    ['Application/JSON, TEXT/Event-Stream'],
    ['*/*;q=0.1'],
  ])('with Accept: %s open a stream (P-2.8, FIELD B9, B12)', async (accept) => {
    const gateway = await openGateway();
    await gateway.open({ headers: { Accept: accept } });
  });

  it('with Accept on two lines, or without it, open a stream (P-2.8, FIELD B9, B12)', async () => {
    const { url } = await openGateway();
    expect(await statusOf(url, ['Accept', 'application/json'], ['Accept', 'text/event-stream'])).toBe('200');
    const without = await openListen(url, { headers: { Accept: undefined } });
    expect(without.status).toBe(200);
  });

  it.each([['application/json'], ['text/event-stream'], ['text/html'], ['*/*, text/event-stream;q=0'], ['']])(
    'with Accept: %s are answered 406 with what to send (P-2.8, FIELD B9)',
    async (accept) => {
      const gateway = await openGateway();
      const answer = await openListen(gateway.url, { headers: { Accept: accept } });
      expect(answer.status).toBe(406);
      const { id, error } = await answer.json();
      expect(id).toBe('L1');
      expect(error?.message).toMatch(/application\/json and text\/event-stream/);
    },
  );

  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'APPLICATION/JSON'])(
    'with Content-Type: %s open a stream (FIELD B13)',
    async (type) => {
      const gateway = await openGateway();
      await gateway.open({ headers: { 'Content-Type': type } });
    },
  );

  it.each([['text/plain'], ['application/jsonp'], [undefined]])(
    'with Content-Type: %s are answered 415 (FIELD B13)',
    async (type) => {
      const gateway = await openGateway();
      const answer = await openListen(gateway.url, { headers: { 'Content-Type': type } });
      expect(answer.status).toBe(415);
      expect((await answer.json()).error?.code).toBe(-32600);
    },
  );

  it('of sessions and of resumption mean nothing, and come back in no answer (P-1.10, P-2.1, FIELD B26)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ headers: { ...OTHERS, 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' } });
    await gateway.publish({ kind: 'tools' });
    await stream.next();
    expect(stream.headers).not.toHaveProperty('mcp-session-id');
    expect(stream.text).not.toMatch(/^id:/m);
    expect(stream.messages).toHaveLength(2);
  });
});

describe('the name that Mcp-Name mirrors', () => {
  const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  const call = (method: string, params: object, name: string | undefined) => {
    const body = JSON.parse(rawBodyOf('2026-07-28'));
    return {
      body: JSON.stringify({ ...body, method, params: { ...body.params, ...params } }),
      headers: { 'Mcp-Method': method, 'Mcp-Name': name },
    };
  };

  it.each([
    ['tools/call', { name: 'add' }, 'add'],
    ['prompts/get', { name: 'größe' }, base64('größe')],
    ['resources/read', { uri: 'file:///a' }, 'file:///a'],
  ])('of %s %o passes as %s, though nobody serves it here (P-2.4)', async (method, params, name) => {
    const gateway = await openGateway();
    const answer = await openListen(gateway.url, call(method, params, name));
    expect([answer.status, (await answer.json()).error?.code]).toEqual([404, -32601]);
  });

  it.each([
    ['is missing', undefined],
    ['differs', 'subtract'],
    ['is no base64 in its sentinel', '=?base64?%%%?='],
    ['is no UTF-8 in its sentinel', '=?base64?/w==?='],
  ])('that %s is a mismatch (P-2.4)', async (_, name) => {
    const gateway = await openGateway();
    const answer = await openListen(gateway.url, call('tools/call', { name: 'add' }, name));
    const { error } = await answer.json();
    expect([answer.status, error?.code]).toEqual([400, -32020]);
    expect(error?.message).toContain('Mcp-Name');
  });
});

function rawBodyOf(version: string): string {
  const params = {
    _meta: { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} },
    notifications: { toolsListChanged: true },
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 'L1', method: METHOD, params });
}
