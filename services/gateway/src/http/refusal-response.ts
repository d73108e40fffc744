import type { Refusal } from '@listen-gateway/core';
import { type RequestId, RPC_CODES, type RpcRefusal, refusalBody } from '@listen-gateway/protocol';
import { retryAfter } from '@listen-gateway/service-kit';
import { TextResponse } from './send.ts';

/** What each refusal of a listen is on the wire: `429` where the host can do something about it, else `503`. */
const REFUSAL_ANSWERS: Readonly<Record<Refusal, { readonly status: number; readonly message: string }>> = {
  'instance-full': { status: 503, message: 'This instance holds as many streams as it may; try again later' },
  'principal-full': { status: 429, message: 'You hold as many streams as you may; close one first' },
  'address-full': { status: 429, message: 'Your address holds as many streams as it may; close one first' },
  'too-many-opens': { status: 429, message: 'You listen too often; wait before you try again' },
  draining: { status: 503, message: 'This instance is shutting down; try again' },
  unauthorized: { status: 401, message: 'Your credential is not good any more; get a new one' },
  'authorizer-unavailable': { status: 503, message: 'What you may watch cannot be found out at the moment; try again' },
  'broker-unavailable': { status: 503, message: 'Changes cannot be received at the moment; try again later' },
};

/** The answer to a listen that is refused before it starts, so that hosts spend none of their re-open budget (P-5). */
export function listenRefusal(id: RequestId, refusal: Refusal, random: () => number, waitMs = 0): Response {
  const { status, message } = REFUSAL_ANSWERS[refusal];
  const error = { code: RPC_CODES.internalError, message, data: { reason: refusal } };
  // Jittered, so that hosts that were refused together do not come back together.
  const waitS = Math.ceil(waitMs / 1_000) + Number(retryAfter(random));
  return rpcResponse({ status, id, error }, { 'Retry-After': String(waitS) });
}

/** A JSON-RPC error as an HTTP response. */
export function rpcResponse(refusal: RpcRefusal, headers: Readonly<Record<string, string>> = {}): Response {
  return new TextResponse(refusalBody(refusal), {
    status: refusal.status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** An answer to a request whose id was not read, so that the error has none (P-2.14). */
export function httpRefusal(status: number, message: string, headers?: Readonly<Record<string, string>>): Response {
  const code = status === 404 ? RPC_CODES.methodNotFound : RPC_CODES.invalidRequest;
  return rpcResponse({ status, error: { code, message } }, headers);
}
