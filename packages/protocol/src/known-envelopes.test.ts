import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInbound } from './inbound.ts';
import { KnownEnvelopes } from './known-envelopes.ts';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION } from './meta-keys.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  [CLIENT_CAPABILITIES_META_KEY]: { extensions: { 'example/x': { level: 1 } } },
  [CLIENT_INFO_META_KEY]: { name: 't', version: '1' },
};

/** A valid value most of the time, else one that comes close to one. */
const mostly = (valid: readonly unknown[], close: readonly unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: fc.constantFrom(...close) });
const extension = (a: unknown) => ({ extensions: { 'example/x': { a } } });
const metas = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': mostly([PROTOCOL_VERSION], ['2025-11-25', 1, null]),
    [CLIENT_CAPABILITIES_META_KEY]: mostly(
      [{}, { elicitation: {} }, extension(null), extension(1)],
      [null, [], { elicitation: null }, extension(Number.POSITIVE_INFINITY), { extensions: { 'example/x': null } }],
    ),
    [CLIENT_INFO_META_KEY]: mostly([{ name: 't', version: '1' }], [{ name: 't' }, { name: 1, version: '1' }, null]),
    'io.modelcontextprotocol/logLevel': mostly(['debug'], ['loud', null]),
    'io.modelcontextprotocol/related-task': mostly([{ taskId: 'a' }], [{ taskId: 1 }, null]),
    progressToken: mostly(['p1', 0, 1], [1.5, 2 ** 60, Number.POSITIVE_INFINITY, null, {}]),
    traceparent: mostly(['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'], [1, null]),
    'example/own': fc.constantFrom(1, 'a', null),
  },
  { requiredKeys: ['io.modelcontextprotocol/protocolVersion', CLIENT_CAPABILITIES_META_KEY] },
);

describe('a request whose envelope may be known', () => {
  it('is judged as the official classifier judges it, whatever came before', () => {
    const requests = fc.record({
      _meta: metas,
      method: mostly(['tools/list'], ['initialize', 'example/own']),
      methodHeader: mostly(['tools/list'], ['initialize', 'example/own']),
      versionHeader: mostly([PROTOCOL_VERSION], ['2025-11-25']),
      others: mostly([{}], [{ extra: 1 }, { result: {} }]),
    }) as fc.Arbitrary<
      Record<'method' | 'methodHeader' | 'versionHeader', string> & Record<'_meta' | 'others', object>
    >;
    let passed = 0;
    fc.assert(
      fc.property(requests, ({ _meta, method, methodHeader, versionHeader, others }) => {
        const body = { jsonrpc: '2.0', id: 1, method, params: { _meta }, ...others };
        const headers = { protocolVersionHeader: versionHeader };
        const outcome = classifyInboundRequest({ httpMethod: 'POST', body, ...headers, mcpMethodHeader: methodHeader });
        const inbound = readInbound({ body, ...headers, methodHeader, nameHeader: undefined });
        if (outcome.kind === 'reject') {
          const { httpStatus: status, code, message } = outcome;
          expect(inbound).toMatchObject({ kind: 'refused', refusal: { status, error: { code, message } } });
          return;
        }
        const ofThis = outcome.kind === 'modern' && outcome.classification.revision === PROTOCOL_VERSION;
        expect(inbound.kind === 'request').toBe(ofThis);
        passed += ofThis ? 1 : 0;
      }),
      { numRuns: 5_000 },
    );
    expect(passed, 'requests that were passed').toBeGreaterThan(1_000);
  });
});

describe('an envelope that is known', () => {
  const knowing = (meta: Record<string, unknown> = META) => {
    const known = new KnownEnvelopes();
    known.add(meta);
    return known;
  };

  it('is so with any progress token and trace context of the right type', () => {
    const known = knowing({ ...META, progressToken: 7 });
    const trace = { traceparent: '00-1-2-01', tracestate: 'a=b', baggage: 'c=d' };
    for (const own of [{}, { progressToken: 'p' }, { progressToken: 0 }, trace]) {
      expect(known.has({ ...META, ...own })).toBe(true);
    }
    for (const own of [{ progressToken: 1.5 }, { progressToken: null }, { traceparent: 1 }, { baggage: null }]) {
      expect(known.has({ ...META, ...own })).toBe(false);
    }
  });

  it('is not so with anything else that differs', () => {
    const known = knowing();
    expect(known.has({ ...META, 'example/own': 1 })).toBe(false);
    expect(known.has({ ...META, [CLIENT_INFO_META_KEY]: { name: 't', version: '2' } })).toBe(false);
    expect(known.has({ ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' })).toBe(false);
  });

  it('is forgotten when too many others came, so that hosts cannot fill memory with theirs', () => {
    const known = knowing();
    for (let other = 0; other < 1_000; other += 1) known.add({ ...META, other });
    expect(known.has(META)).toBe(false);
    expect(known.has({ ...META, other: 999 })).toBe(true);
  });

  it('is never one of many characters', () => {
    const large = { ...META, [CLIENT_INFO_META_KEY]: { name: 'x'.repeat(2_000), version: '1' } };
    expect(knowing(large).has(large)).toBe(false);
  });
});
