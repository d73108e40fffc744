import { DISCOVER_METHOD, type Inbound, LISTEN_METHOD, RPC_CODES, type RpcRefusal } from '@listen-gateway/protocol';
import type { HostPrincipal } from '../auth/host-principal.ts';
import type { Server } from '../servers.ts';
import { acceptsAnswers, notAcceptable } from './accept.ts';
import { ANSWERERS, type MessageSort } from './answerers.ts';
import { discover } from './discover.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { type Forwarded, forward } from './forward.ts';
import { listen } from './listen.ts';
import { readPost } from './read-post.ts';
import { rpcResponse } from './refusal-response.ts';

type Message = Exclude<Inbound, { readonly kind: 'refused' }>;

/** Answers one POST of a host that was let in, as `ANSWERERS` says. */
export async function answerPost(
  c: EndpointContext,
  options: EndpointOptions,
  server: Server,
  principal: HostPrincipal | undefined,
): Promise<Response> {
  const { inbound, bytes } = await readPost(c.env.incoming, options.limits.bodyBytes);
  if (inbound.kind === 'refused') return refuse(inbound);

  const { serverId, upstream } = server;
  const { withUpstream, alone } = ANSWERERS[sortOf(inbound)];
  const answerer = upstream === undefined ? alone : withUpstream;
  // What a forwarded request may be answered with is between its host and the upstream, which may need but one of the two.
  if (answerer !== 'forward' && inbound.kind === 'request' && !acceptsAnswers(c.env.incoming.headers.accept)) {
    return rpcResponse(notAcceptable(inbound.id));
  }
  if (inbound.kind === 'request' && answerer === 'listen') return listen(c, options, server, { ...inbound, principal });
  if (inbound.kind === 'request' && answerer === 'discover') {
    return discover(c, options, server, { id: inbound.id, body: bytes });
  }
  if (upstream !== undefined && answerer === 'forward') {
    return forward(c, options, { serverId, upstream, body: bytes, ...forwardedAs(inbound) });
  }
  const refusal = answerer === 'accept' ? undefined : refusalOf(inbound);
  return refusal === undefined ? new Response(null, { status: 202 }) : rpcResponse(refusal);
}

function forwardedAs(message: Message): Pick<Forwarded, 'id' | 'method' | 'meta'> {
  switch (message.kind) {
    case 'request':
      return { id: message.id, method: message.method, meta: message.params._meta };
    case 'notification':
      return { id: undefined, method: message.method };
    case 'legacy':
      return { id: message.id };
  }
}

function sortOf(message: Message): MessageSort {
  switch (message.kind) {
    case 'request':
      if (message.method === LISTEN_METHOD) return 'listen';
      return message.method === DISCOVER_METHOD ? 'discover' : 'request';
    case 'notification':
      return message.method === 'notifications/cancelled' ? 'cancelled' : 'notification';
    case 'legacy':
      return 'legacy';
  }
}

function refusalOf(message: Message): RpcRefusal | undefined {
  switch (message.kind) {
    case 'request': {
      const error = { code: RPC_CODES.methodNotFound, message: `Method not found: ${message.method}` };
      return { status: 404, id: message.id, error };
    }
    case 'notification':
      return undefined;
    case 'legacy':
      return message.refusal;
  }
}

/** What is left unread of a body that is too large is never read: the connection closes after the answer. */
function refuse({ refusal, silent }: Inbound & { readonly kind: 'refused' }): Response {
  if (silent) return new Response(null, { status: refusal.status });
  return rpcResponse(refusal, refusal.status === 413 ? { Connection: 'close' } : {});
}
