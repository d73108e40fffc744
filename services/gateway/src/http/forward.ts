import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type RequestId, RPC_CODES, type ServerId } from '@listen-gateway/protocol';
import { ForwardSpan } from '../tracing/forward-span.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { rpcResponse } from './refusal-response.ts';

/** undici's codes for an upstream that took too long. */
const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);

/** A request on its way to an upstream. */
export interface Forwarded {
  readonly serverId: ServerId;
  readonly upstream: Upstream;
  /** Its bytes as they came. */
  readonly body: Buffer | null;
  /** The id of the JSON-RPC request that it is, for an error of the gateway's own. */
  readonly id: RequestId | undefined;
  readonly method?: string;
  readonly meta?: unknown;
}

/** Forwards a request to the upstream of its server, and its answer back, byte for byte. */
export async function forward(
  c: EndpointContext,
  { clock, onExchange }: EndpointOptions,
  { serverId, upstream, body, id, method, meta }: Forwarded,
): Promise<Response> {
  const startedAt = clock.now();
  const { headers } = c.env.incoming;
  // What has no body belongs to a session of an earlier revision, and its span might last as long.
  const span = body === null ? undefined : new ForwardSpan({ serverId, headers, method, meta });
  const outcome = await upstream.forward(c.env.incoming, c.env.outgoing, { body, trace: span?.trace });
  span?.ended(outcome);
  // The stream of a session of earlier revisions lasts as long as its host listens: that is nobody's latency.
  const tookMs = c.env.incoming.method === 'GET' ? undefined : clock.now() - startedAt;
  onExchange(serverId, outcome, tookMs, span?.trace);
  if (outcome.kind !== 'failed') return RESPONSE_ALREADY_SENT;
  const timedOut = TIMEOUTS.has((outcome.cause as NodeJS.ErrnoException).code ?? '');
  const status = timedOut ? 504 : 502;
  // A message without an id gets no JSON-RPC message for an answer (SUB-18).
  if (body !== null && id === undefined) return new Response(null, { status });
  const message = timedOut
    ? 'The server behind this gateway took too long'
    : 'The server behind this gateway cannot be reached';
  return rpcResponse({ status, id, error: { code: RPC_CODES.internalError, message } });
}
