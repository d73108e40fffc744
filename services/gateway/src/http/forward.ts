import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type RequestId, RPC_CODES } from '@listen-gateway/protocol';
import type { Upstream } from '../upstream/upstream.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { rpcResponse } from './refusal-response.ts';

/** undici's codes for an upstream that took too long. */
const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);

/** Forwards a request to the upstream of its server, and its answer back, byte for byte. */
export async function forward(
  c: EndpointContext,
  { clock, onExchange }: EndpointOptions,
  upstream: Upstream,
  request: { readonly body: Buffer | null; readonly id: RequestId | undefined },
): Promise<Response> {
  const startedAt = clock.now();
  const outcome = await upstream.forward(c.env.incoming, c.env.outgoing, request.body);
  onExchange(c.get('server').serverId, outcome, clock.now() - startedAt);
  if (outcome.kind !== 'failed') return RESPONSE_ALREADY_SENT;
  const timedOut = TIMEOUTS.has((outcome.cause as NodeJS.ErrnoException).code ?? '');
  const message = timedOut
    ? 'The server behind this gateway took too long'
    : 'The server behind this gateway cannot be reached';
  return rpcResponse({
    status: timedOut ? 504 : 502,
    id: request.id,
    error: { code: RPC_CODES.internalError, message },
  });
}
