import { describe, expect, it } from 'vitest';
import { type InboundPost, readInbound } from './inbound.ts';
import { PROTOCOL_VERSION } from './meta-keys.ts';
import { RPC_CODES, type RpcRefusal } from './rpc-error.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const META = { [VERSION_KEY]: PROTOCOL_VERSION, [CAPABILITIES_KEY]: {} };

interface Sketch extends Partial<Omit<InboundPost, 'body'>> {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** A request whose headers mirror its body, but for what the sketch says. */
function post({ method = 'subscriptions/listen', params, ...headers }: Sketch = {}): InboundPost {
  return {
    body: { jsonrpc: '2.0', id: 'L1', method, params: params ?? { _meta: META } },
    protocolVersionHeader: PROTOCOL_VERSION,
    methodHeader: method,
    nameHeader: undefined,
    ...headers,
  };
}

function refusalOf(sketch: Sketch): RpcRefusal {
  const inbound = readInbound(post(sketch));
  if (inbound.kind !== 'refused') throw new Error(`read as a ${inbound.kind}`);
  return inbound.refusal;
}

const mismatch = { status: 400, id: 'L1', error: { code: RPC_CODES.headerMismatch } };

describe('the header Mcp-Method', () => {
  it.each([undefined, 'tools/list', 'Subscriptions/Listen', ''])(
    'is refused as %j beside a listen, by name (P-2.4, FIELD B1, B6)',
    (methodHeader) => {
      const refusal = refusalOf({ methodHeader });
      expect(refusal).toMatchObject(mismatch);
      expect(refusal.error.message).toContain('Mcp-Method');
    },
  );

  it('may stand between white space, which is no part of a value (FIELD B6)', () => {
    expect(readInbound(post({ methodHeader: ' \t subscriptions/listen  ' }))).toMatchObject({ kind: 'request' });
  });
});

describe('the header MCP-Protocol-Version', () => {
  it('is required on a request (P-2.4)', () => {
    const refusal = refusalOf({ protocolVersionHeader: undefined });
    expect(refusal).toMatchObject(mismatch);
    expect(refusal.error.message).toContain('MCP-Protocol-Version');
  });

  it.each([
    [PROTOCOL_VERSION, '2025-11-25'],
    ['2025-11-25', PROTOCOL_VERSION],
  ])('that says %s beside a body that says %s is a mismatch that names both (P-2.4, FIELD B3)', (header, body) => {
    const params = { _meta: { ...META, [VERSION_KEY]: body } };
    const refusal = refusalOf({ protocolVersionHeader: header, params });
    expect(refusal).toMatchObject(mismatch);
    expect(refusal.error.message).toContain('MCP-Protocol-Version');
    expect(refusal.error.message).toContain(header);
    expect(refusal.error.message).toContain(body);
  });

  it('may stand between white space (FIELD B6)', () => {
    expect(readInbound(post({ protocolVersionHeader: ` ${PROTOCOL_VERSION} ` }))).toMatchObject({ kind: 'request' });
  });
});

describe('a version that is not supported', () => {
  it.each(['2025-11-25', '2024-11-05', '2026-12-31', '1.0', 'DRAFT'])(
    'is refused: %s, with what is supported and what was asked for (P-2.6)',
    (version) => {
      const params = { _meta: { ...META, [VERSION_KEY]: version } };
      expect(refusalOf({ protocolVersionHeader: version, params })).toMatchObject({
        status: 400,
        id: 'L1',
        error: { code: RPC_CODES.unsupportedVersion, data: { supported: [PROTOCOL_VERSION], requested: version } },
      });
    },
  );

  it('is refused in a request without the metadata of this revision, whether or not it names a version (P-2.6)', () => {
    const old = { protocolVersionHeader: '2025-11-25', params: {}, methodHeader: undefined };
    const { error } = refusalOf(old);
    expect(error).toMatchObject({ code: RPC_CODES.unsupportedVersion, data: { requested: '2025-11-25' } });
    const silent = refusalOf({ ...old, protocolVersionHeader: undefined });
    expect(silent.error.code).toBe(RPC_CODES.unsupportedVersion);
    expect(silent.error.data).toEqual({ supported: [PROTOCOL_VERSION] });
  });

  it('is what an older host hears that sends initialize (P-2.6, P-5)', () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const handshake = { method: 'initialize', params, protocolVersionHeader: undefined, methodHeader: undefined };
    const inbound = readInbound(post(handshake));
    expect(inbound.kind, 'an upstream may speak the older revision').toBe('legacy');
    expect(inbound.kind === 'legacy' && inbound.refusal).toMatchObject({
      status: 400,
      id: 'L1',
      error: { code: RPC_CODES.unsupportedVersion, data: { supported: [PROTOCOL_VERSION], requested: '2025-11-25' } },
    });
  });
});

describe('the metadata of a request', () => {
  it.each([
    ['clientCapabilities', { [VERSION_KEY]: PROTOCOL_VERSION }],
    ['protocolVersion', { [CAPABILITIES_KEY]: {} }],
    ['_meta', undefined],
  ])('must hold %s (P-2.5)', (member, _meta) => {
    const refusal = refusalOf({ params: { notifications: {}, ...(_meta && { _meta }) } });
    expect(refusal).toMatchObject({ status: 400, id: 'L1', error: { code: RPC_CODES.invalidParams } });
    expect(refusal.error.message).toContain(member);
  });

  it.each([
    { ...META, [CAPABILITIES_KEY]: null },
    { ...META, [CAPABILITIES_KEY]: 'x' },
    { ...META, [VERSION_KEY]: null },
    { ...META, [VERSION_KEY]: 20260728 },
  ])('must hold them in their types: not %j (P-2.5, FIELD A13)', (_meta) => {
    expect(refusalOf({ params: { _meta } })).toMatchObject({ status: 400, error: { code: RPC_CODES.invalidParams } });
  });
});

describe('the header Mcp-Name', () => {
  const cases = [
    ['tools/call', { name: 'add' }, 'add'],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'file:///ä b' }, 'file:///ä b'],
  ] as const;

  it.each(cases)('of %s mirrors %j (P-2.4)', (method, named, name) => {
    const params = { _meta: META, ...named };
    expect(readInbound(post({ method, params, nameHeader: name }))).toMatchObject({ kind: 'request', method });
    for (const nameHeader of [undefined, `${name}x`, name.toUpperCase(), { invalid: '=?base64?%?=' }]) {
      const refusal = refusalOf({ method, params, nameHeader });
      expect(refusal).toMatchObject(mismatch);
      expect(refusal.error.message).toContain('Mcp-Name');
    }
  });

  it('is of no matter to a listen (P-2.4)', () => {
    expect(readInbound(post({ nameHeader: 'whatever' }))).toMatchObject({ kind: 'request' });
  });

  it('is of no matter where the body has no name, which whoever serves the method refuses', () => {
    const params = { _meta: META, name: 5 };
    expect(readInbound(post({ method: 'tools/call', params }))).toMatchObject({ kind: 'request' });
  });
});
