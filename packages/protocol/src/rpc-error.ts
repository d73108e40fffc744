import type { RequestId } from './request-id.ts';

/** The JSON-RPC error codes this product may send; P-2.13: none other from −32020…−32099, none new in −32000…−32019. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An HTTP answer that carries a JSON-RPC error; `id` is absent where the request's id could not be read (P-2.14). */
export interface RpcRefusal {
  readonly status: number;
  readonly id?: RequestId | undefined;
  readonly error: RpcError;
}

/** The body of a refusal. Spec, schema: an error whose id is unknown has no `id` member; `null` is not allowed. */
export function refusalBody(refusal: RpcRefusal): string {
  return JSON.stringify({ jsonrpc: '2.0', id: refusal.id, error: refusal.error });
}
