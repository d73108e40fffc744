import { DEFAULT_SERVER_ID, LISTEN_METHOD, RPC_CODES, type ServerId } from '@listen-gateway/protocol';
import type { Fetch } from '@listen-gateway/service-kit';
import { Hono } from 'hono';
import type { Server } from '../servers.ts';
import { answerPost } from './answer-post.ts';
import { ANSWERERS } from './answerers.ts';
import { authenticate } from './bearer.ts';
import { allowOrigin, preflight } from './cors.ts';
import type { EndpointContext, EndpointEnv, EndpointOptions } from './endpoint.ts';
import { forward } from './forward.ts';
import { headerName } from './header-name.ts';
import { endpointPath } from './public-url.ts';
import { httpRefusal, rpcResponse } from './refusal-response.ts';
import { send } from './send.ts';
import { METADATA_PATH, protectedResource } from './well-known.ts';

/**
 * The MCP endpoint: `POST /mcp` for the server `default`, `POST /mcp/{server}` for the others.
 *
 * No middleware here may touch headers after `next()`: a listen answers on Node's response itself, and Hono would end
 * that response when it sees headers set on the marker that stands for it. Nor may it read `c.req`'s headers or body:
 * what that makes would live as long as the stream.
 */
export function mcpEndpoint(options: EndpointOptions): Fetch {
  const { servers, onFault, onRefused } = options;
  const fail = (error: unknown) => {
    onFault(error);
    return rpcResponse({ status: 500, error: { code: RPC_CODES.internalError, message: 'Internal error' } });
  };
  const app = routes(options).onError(fail);
  // Nearly all requests spell the path of their server like this; the router would add a twentieth to what they cost.
  const served = new Map([...servers].map(([serverId, server]) => [endpointPath(serverId), server]));

  return async (request, env) => {
    const server = served.get(env.incoming.url ?? '');
    const answered = server === undefined ? app.fetch(request, env) : enter({ env }, options, server).catch(fail);
    const response = await answered;
    // Whoever has gone, or was answered by Node for being too slow, is not refused once more.
    if (response.status >= 400 && !env.outgoing.destroyed) onRefused(response.status);
    return send(env.outgoing, response);
  };
}

function routes(options: EndpointOptions): Hono<EndpointEnv> {
  const app = new Hono<EndpointEnv>();
  app.use(async (c, next) => keptOut(c, options, { forAnyOrigin: isMetadata(c.req.path) }) ?? next());
  for (const path of ['/mcp', '/mcp/:server']) {
    app.all(path, async (c) => {
      const serverId = (c.req.param('server') ?? DEFAULT_SERVER_ID) as ServerId;
      const server = options.servers.get(serverId);
      if (server !== undefined) return answer(c, options, server);
      const isPost = c.env.incoming.method === 'POST';
      return isPost ? httpRefusal(404, `No server ${JSON.stringify(serverId)} is configured here`) : methodNotAllowed();
    });
  }
  for (const path of [METADATA_PATH, `${METADATA_PATH}/*`]) app.all(path, (c) => protectedResource(c, options));
  app.notFound(() => httpRefusal(404, 'The MCP endpoint is POST /mcp or POST /mcp/{server}'));
  return app;
}

/** What the routes do, for a request whose server is known. */
async function enter(c: EndpointContext, options: EndpointOptions, server: Server): Promise<Response> {
  return keptOut(c, options, { forAnyOrigin: false }) ?? answer(c, options, server);
}

/** Refuses what may not come in from where it came; a page that may is let read the answer. */
function keptOut(
  { env: { incoming, outgoing } }: EndpointContext,
  { guard }: EndpointOptions,
  { forAnyOrigin }: { readonly forAnyOrigin: boolean },
): Response | undefined {
  const { headers, rawHeaders } = incoming;
  if (namesTwoHosts(rawHeaders)) return httpRefusal(400, 'A request names one Host');
  const refusal = guard({ host: headers.host, origin: forAnyOrigin ? undefined : headers.origin });
  if (refusal !== undefined) return httpRefusal(403, refusal);
  if (forAnyOrigin) return undefined;
  allowOrigin(incoming, outgoing);
  return preflight(incoming);
}

/** Whoever is not let in is refused before a byte of the body is read, whatever the method. */
async function answer(c: EndpointContext, options: EndpointOptions, server: Server): Promise<Response> {
  // First of all, since the token and the body are most of what a listen costs.
  if (c.env.incoming.headers['mcp-method'] === LISTEN_METHOD) await options.listens.pass();
  const principal = server.authentication === undefined ? undefined : await authenticate(c, options, server);
  if (principal instanceof Response) return principal;
  if (c.env.incoming.method === 'POST') return answerPost(c, options, server, principal);
  return answerSession(c, options, server);
}

/** Metadata is read from any origin, since a browser has to read it before it can know where it belongs. */
function isMetadata(path: string): boolean {
  return path === METADATA_PATH || path.startsWith(`${METADATA_PATH}/`);
}

/** GET and DELETE belong to the sessions of earlier revisions, which an upstream may still speak. */
function answerSession(
  c: EndpointContext,
  options: EndpointOptions,
  { serverId, upstream }: Server,
): Response | Promise<Response> {
  const ofSession = SESSION_METHODS.has(c.env.incoming.method ?? '');
  const answerer = upstream === undefined ? ANSWERERS.session.alone : ANSWERERS.session.withUpstream;
  if (upstream === undefined || answerer !== 'forward' || !ofSession) return methodNotAllowed();
  return forward(c, options, { serverId, upstream, body: null, id: undefined });
}

const SESSION_METHODS: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/** Spec, streamable-http, Earlier Revisions: GET and DELETE are answered at once, a hang reads as a broken server. */
function methodNotAllowed(): Response {
  return httpRefusal(405, 'Only POST is served here', { Allow: 'POST' });
}

/** RFC 9112, 3.2: of two Host lines Node takes the first, while a hop before it may have judged the other. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (headerName(rawHeaders[at] as string).lower === 'host') hosts += 1;
  }
  return hosts > 1;
}
