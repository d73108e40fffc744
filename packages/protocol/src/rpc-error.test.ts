import { describe, expect, it } from 'vitest';
import { RPC_CODES, refusalBody } from './rpc-error.ts';

const error = { code: RPC_CODES.invalidRequest, message: 'no' };

describe('the body of a refusal', () => {
  it.each([0, 1, '', '1', 'listen:0'])('carries the id %j in its JSON type (P-2.14)', (id) => {
    expect(JSON.parse(refusalBody({ status: 400, id, error }))).toStrictEqual({ jsonrpc: '2.0', id, error });
  });

  it('has no id member where the id could not be read (P-2.14)', () => {
    expect(refusalBody({ status: 400, error })).toBe('{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}');
    expect(refusalBody({ status: 400, id: undefined, error })).not.toContain('"id"');
  });
});

describe('the error codes', () => {
  it('are those of JSON-RPC and of the specification, and no others (P-2.13)', () => {
    const jsonRpc = [-32700, -32600, -32601, -32602, -32603];
    const specified = [-32020, -32021, -32022];
    expect(Object.values(RPC_CODES).toSorted()).toEqual([...jsonRpc, ...specified].toSorted());
  });
});
