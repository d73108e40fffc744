import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Random, Streams } from '@listen-gateway/core';
import {
  type Announcement,
  DEFAULT_SERVER_ID,
  DISCOVER_METHOD,
  discoverResult,
  type FilterLimits,
  LISTEN_METHOD,
  type RequestId,
  RPC_CODES,
  type RpcRefusal,
  readListen,
  type ServerId,
} from '@listen-gateway/protocol';
import { type Context, Hono } from 'hono';
import { NodeSink } from './node-sink.ts';
import { readPost } from './read-post.ts';
import { httpRefusal, listenRefusal, rpcResponse } from './refusal-response.ts';
import type { Guard } from './request-guard.ts';

export interface McpEndpointOptions {
  readonly streams: Streams;
  readonly servers: ReadonlyMap<ServerId, Announcement>;
  readonly guard: Guard;
  readonly limits: FilterLimits & { readonly bodyBytes: number };
  readonly random: Random;
  /** Told of what no request should be able to cause. */
  readonly onFault: (error: unknown) => void;
}

type Env = { Bindings: HttpBindings; Variables: { serverId: ServerId; server: Announcement } };
type Params = Readonly<Record<string, unknown>>;

/**
 * The MCP endpoint: `POST /mcp` for the server `default`, `POST /mcp/{server}` for the others.
 *
 * No middleware here may touch headers after `next()`: a listen answers on Node's response itself, and Hono would end
 * that response when it sees headers set on the marker that stands for it. Nor may it read `c.req`'s headers or body:
 * what that makes would live as long as the stream.
 */
export function mcpEndpoint(options: McpEndpointOptions): Hono<Env> {
  const { servers, guard, onFault } = options;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const { headers, rawHeaders } = c.env.incoming;
    if (namesTwoHosts(rawHeaders)) return httpRefusal(400, 'A request names one Host');
    const refusal = guard({ host: headers.host, origin: headers.origin });
    return refusal === undefined ? next() : httpRefusal(403, refusal);
  });
  app.on(['POST'], ['/mcp', '/mcp/:server'], async (c, next) => {
    const serverId = (c.req.param('server') ?? DEFAULT_SERVER_ID) as ServerId;
    const server = servers.get(serverId);
    if (server === undefined) return httpRefusal(404, `No server ${JSON.stringify(serverId)} is configured here`);
    c.set('serverId', serverId);
    c.set('server', server);
    return next();
  });
  app.on(['POST'], ['/mcp', '/mcp/:server'], (c) => answer(c, options));
  app.all('/mcp', methodNotAllowed);
  app.all('/mcp/:server', methodNotAllowed);
  app.notFound(() => httpRefusal(404, 'The MCP endpoint is POST /mcp or POST /mcp/{server}'));
  app.onError((error) => {
    onFault(error);
    return rpcResponse({ status: 500, error: { code: RPC_CODES.internalError, message: 'Internal error' } });
  });
  return app;
}

async function answer(c: Context<Env>, options: McpEndpointOptions): Promise<Response> {
  const inbound = await readPost(c.env.incoming, options.limits.bodyBytes);
  if (inbound.kind === 'refused') return refuse(inbound.refusal);
  // P-1.7: over HTTP a posted `notifications/cancelled` ends nobody's stream; no other notification means anything here.
  if (inbound.kind === 'notification') return new Response(null, { status: 202 });

  const { id, method, params } = inbound;
  switch (method) {
    case LISTEN_METHOD:
      return listen(c, options, id, params);
    case DISCOVER_METHOD:
      return Response.json({ jsonrpc: '2.0', id, result: discoverResult(c.get('server')) });
    default:
      return rpcResponse({
        status: 404,
        id,
        error: { code: RPC_CODES.methodNotFound, message: `Method not found: ${method}` },
      });
  }
}

async function listen(c: Context<Env>, options: McpEndpointOptions, id: RequestId, params: Params): Promise<Response> {
  const read = readListen(id, params, options.limits);
  if (!read.ok) return rpcResponse(read.refusal);
  const outcome = await options.streams.listen(
    { serverId: c.get('serverId'), server: c.get('server'), subscriptionId: id, requested: read.requested },
    (events) => new NodeSink(c.env.outgoing, events),
  );
  // Where the host has gone, nothing can be answered either.
  if (outcome === 'opened' || outcome === 'host-gone') return RESPONSE_ALREADY_SENT;
  return listenRefusal(id, outcome, options.random);
}

/** What is left unread of a body that is too large is never read: the connection closes after the answer. */
function refuse(refusal: RpcRefusal): Response {
  return rpcResponse(refusal, refusal.status === 413 ? { Connection: 'close' } : {});
}

/** Spec, streamable-http, Earlier Revisions: GET and DELETE are answered at once, a hang reads as a broken server. */
function methodNotAllowed(): Response {
  return httpRefusal(405, 'Only POST is served here', { Allow: 'POST' });
}

/** RFC 9112, 3.2: of two Host lines Node takes the first, while a hop before it may have judged the other. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  const isHost = (name: string, index: number) => index % 2 === 0 && name.toLowerCase() === 'host';
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}
