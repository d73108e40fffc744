import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InboundPost, readInbound } from './inbound.ts';
import { PROTOCOL_VERSION } from './meta-keys.ts';
import { RPC_CODES, type RpcRefusal, refusalBody } from './rpc-error.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};
const PARAMS = { _meta: META, notifications: { toolsListChanged: true, resourceSubscriptions: ['file:///a'] } };
const L0 = { jsonrpc: '2.0', id: 'L1', method: 'subscriptions/listen', params: PARAMS };

/** L0 with members replaced; the text goes through a JSON parser, as a body does. */
const post = (body: unknown, headers: Partial<InboundPost> = {}): InboundPost => ({
  body: typeof body === 'string' ? JSON.parse(body) : body,
  protocolVersionHeader: PROTOCOL_VERSION,
  methodHeader: 'subscriptions/listen',
  nameHeader: undefined,
  ...headers,
});

function refusalOf(post: InboundPost): RpcRefusal {
  const inbound = readInbound(post);
  if (inbound.kind !== 'refused') throw new Error(`read as a ${inbound.kind}`);
  return inbound.refusal;
}

describe('a message of an earlier revision', () => {
  const bare = { protocolVersionHeader: undefined, methodHeader: undefined };

  it('is told apart, with what answers it where that revision is not spoken', () => {
    expect(readInbound(post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, bare))).toMatchObject({
      kind: 'legacy',
      id: 1,
      refusal: { status: 400, id: 1, error: { code: RPC_CODES.unsupportedVersion } },
    });
  });

  it('that asks for a listen stream is refused, whatever else it looks like', () => {
    const hidden = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {} } };
    for (const methodHeader of [undefined, 'tools/list', 'subscriptions/listen']) {
      const refusal = refusalOf(post(hidden, { ...bare, methodHeader }));
      expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.unsupportedVersion } });
    }
  });

  it('may be a response, which this revision never takes', () => {
    const response = { jsonrpc: '2.0', id: 1, result: {} };
    expect(readInbound(post(response, bare))).toMatchObject({
      kind: 'legacy',
      id: undefined,
      refusal: { status: 400, id: 1 },
    });
    expect(refusalOf(post(response))).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
  });
});

describe('a POST', () => {
  it('is read as the request it is (P-2.2)', () => {
    expect(readInbound(post(L0))).toEqual({
      kind: 'request',
      id: 'L1',
      method: 'subscriptions/listen',
      params: PARAMS,
    });
  });

  it.each(['0', '1', '"1"', '""', '-7', '9007199254740991', '"6f3c9a3e-2f6e-4d0b-9d8b-0a4c1f2b7e55"'])(
    'keeps the id %s in its JSON type and value (P-1.4, FIELD A4)',
    (id) => {
      const inbound = readInbound(post(JSON.stringify(L0).replace('"L1"', id)));
      expect(inbound).toMatchObject({ kind: 'request', id: JSON.parse(id) });
    },
  );

  it('takes an integer written with a fraction of zero as that integer (FIELD A2)', () => {
    expect(readInbound(post(JSON.stringify(L0).replace('"L1"', '3100.0')))).toMatchObject({ id: 3100 });
  });

  it.each(['1.5', 'null', 'true', '[]', '{}', '9007199254740992', '-9007199254740992', '1e400'])(
    'with the id %s is an invalid request, answered without an id member (FIELD A2, P-2.14)',
    (id) => {
      const refusal = refusalOf(post(JSON.stringify(L0).replace('"L1"', id)));
      expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
      expect(JSON.parse(refusalBody(refusal))).not.toHaveProperty('id');
    },
  );

  const call = { ...L0, method: 'tools/call', params: { _meta: META, name: 'x' } };
  it.each([
    ['[L0]', [L0]],
    ['[]', []],
    ['[L0, tools/call]', [L0, call]],
    ['[notification]', [{ jsonrpc: '2.0', method: 'notifications/cancelled' }]],
    ['[[L0]]', [[L0]]],
    ['white space before [', ` \n\t${JSON.stringify([L0])}`],
  ])('that is a batch is refused: %s (FIELD A8, P-2.2)', (_, body) => {
    const refusal = refusalOf(post(body));
    expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
    expect(JSON.parse(refusalBody(refusal))).not.toHaveProperty('id');
  });

  it.each([
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', 1],
    ['{"id":1,"method":"x"}', 1],
    ['{"id":1}', 1],
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"jsonrpc":"2.0"}', undefined],
    ['{}', undefined],
    ['"hello"', undefined],
    ['7', undefined],
    ['null', undefined],
    ['false', undefined],
  ])('that is JSON but no request is invalid, not unparsable: %s (FIELD A10)', (body, id) => {
    const refusal = refusalOf(post(body));
    expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
    expect(refusal.id).toBe(id);
  });

  it.each([
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }],
    ['an error without id', { jsonrpc: '2.0', error: { code: 1, message: 'x' } }],
    ['a request that is a result as well', { ...L0, result: {} }],
    ['a request with a member that JSON-RPC does not know', { ...L0, foo: 1 }],
  ])('that is %s is refused (P-2.2)', (_, body) => {
    expect(refusalOf(post(body))).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
  });

  it.each([
    ['method', null, RPC_CODES.invalidRequest],
    ['method', 5, RPC_CODES.invalidRequest],
    ['method', {}, RPC_CODES.invalidRequest],
    ['params', null, RPC_CODES.invalidParams],
    ['params', [], RPC_CODES.invalidParams],
    ['params', 'x', RPC_CODES.invalidParams],
    ['params', { ...PARAMS, _meta: null }, RPC_CODES.invalidParams],
    ['params', { ...PARAMS, _meta: [] }, RPC_CODES.invalidParams],
    ['params', { ...PARAMS, _meta: 'x' }, RPC_CODES.invalidParams],
  ])('whose %s is %j is refused by name, with its id (FIELD A13)', (member, value, code) => {
    const refusal = refusalOf(post({ ...L0, [member]: value }));
    expect(refusal).toMatchObject({ status: 400, id: 'L1', error: { code } });
    expect(refusal.error.message).toContain(member);
  });

  it('is answered whatever JSON it holds: with its id, or with none, and with an error code that exists (FIELD A13)', () => {
    const members = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.oneof(fc.string(), fc.integer(), fc.jsonValue()),
        method: fc.oneof(fc.constant(L0.method), fc.jsonValue()),
        params: fc.oneof(fc.record({ _meta: fc.oneof(fc.constant(META), fc.jsonValue()) }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const header = fc.option(fc.oneof(fc.constant(PROTOCOL_VERSION), fc.string()), { nil: undefined });
    fc.assert(
      fc.property(fc.oneof(members, fc.jsonValue()), header, header, (body, protocolVersionHeader, methodHeader) => {
        const sent = post(JSON.stringify(body), { protocolVersionHeader, methodHeader });
        const inbound = readInbound(sent);
        if (inbound.kind === 'request') expect(inbound.id).toBe((sent.body as { id: unknown }).id);
        if (inbound.kind !== 'refused') return;
        expect(Object.values(RPC_CODES)).toContain(inbound.refusal.error.code);
        if (inbound.refusal.id !== undefined) expect(inbound.refusal.id).toBe((sent.body as { id: unknown }).id);
      }),
    );
  });
});

describe('the metadata of a message', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`;
  const message = (member: string, depth: number) =>
    JSON.stringify(L0).replace('Capabilities":{}', `Capabilities":{"${member}":${nested(depth)}}`);

  it.each(['experimental', 'extensions', 'other'])('may be nested a hundred deep in %s', (member) => {
    expect(readInbound(post(message(member, 100)))).toMatchObject({ kind: 'request' });
  });

  it.each(['experimental', 'extensions'])(
    'nested deeper in %s than any stack is refused, and no fault (FIELD A13)',
    (member) => {
      const text = message(member, 100_000);
      expect(refusalOf(post(text))).toMatchObject({ status: 400, id: 'L1', error: { code: RPC_CODES.invalidParams } });
      const { id: _, ...notification } = JSON.parse(text) as Record<string, unknown>;
      const sent = { ...notification, method: 'notifications/x' };
      const inbound = readInbound({ ...post({}), body: sent, methodHeader: 'notifications/x' });
      expect(inbound).not.toHaveProperty('refusal.id');
    },
  );
});

describe('a POSTed notification', () => {
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'listen:0' } };

  it('of the official client is accepted although it lacks Mcp-Method (P-1.7, P-2.3, SUB-17)', () => {
    expect(readInbound(post(cancelled, { methodHeader: undefined }))).toEqual({
      kind: 'notification',
      method: 'notifications/cancelled',
    });
  });

  it.each([PROTOCOL_VERSION, '2025-11-25', undefined])(
    'is accepted under the version header %s (SUB-17)',
    (protocolVersionHeader) => {
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const inbound = readInbound(post(initialized, { protocolVersionHeader, methodHeader: undefined }));
      expect(inbound).toEqual(
        protocolVersionHeader === PROTOCOL_VERSION
          ? { kind: 'notification', method: 'notifications/initialized' }
          : { kind: 'legacy', id: undefined, refusal: undefined },
      );
    },
  );

  it('whose header names another method is refused, without an id (P-2.3, P-2.4)', () => {
    const refusal = refusalOf(post(cancelled, { methodHeader: 'notifications/initialized' }));
    expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.headerMismatch } });
    expect(JSON.parse(refusalBody(refusal))).not.toHaveProperty('id');
  });

  it('with bad params is refused, without an id (FIELD A13)', () => {
    const refusal = refusalOf(post({ ...cancelled, params: [] }));
    expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidParams } });
    expect(JSON.parse(refusalBody(refusal))).not.toHaveProperty('id');
  });

  it('that a listen became by losing its id is refused: never 202, never a silent hang (SUB-12)', () => {
    const { id: _, ...listen } = L0;
    const refusal = refusalOf(post(listen));
    expect(refusal).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidRequest } });
    expect(refusal.error.message).toContain('"id"');
  });
});
