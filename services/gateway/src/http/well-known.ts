import { DEFAULT_SERVER_ID, type ServerId } from '@listen-gateway/protocol';
import type { OAuthProtectedResourceMetadata } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { Server } from '../servers.ts';
import type { EndpointEnv, EndpointOptions } from './endpoint.ts';
import { publicUrlOf, resourceUrl } from './public-url.ts';
import { httpRefusal } from './refusal-response.ts';

/** Where RFC 9728 has the metadata of a resource: before its path, or alone for the resource of the whole host. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Tells where tokens for a server are had (RFC 9728). Hosts in browsers read it from any origin, and it is no secret.
 * Not by the SDK's router, which knows one server and one issuer.
 */
export function protectedResource(c: Context<EndpointEnv>, options: EndpointOptions): Response {
  const { method } = c.env.incoming;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...CORS, ...PREFLIGHT } });
  if (method !== 'GET' && method !== 'HEAD') {
    return httpRefusal(405, 'Metadata is read by GET', { Allow: 'GET, HEAD, OPTIONS', ...CORS });
  }
  const server = namedServer(c.req.path, options);
  if (server?.authentication === undefined) return httpRefusal(404, 'There is no metadata of this resource', CORS);
  const { issuers, scopes } = server.authentication;
  const metadata: OAuthProtectedResourceMetadata = {
    resource: resourceUrl(publicUrlOf(c.env.incoming, options.publicUrl, options.proxies), server.serverId),
    authorization_servers: [...issuers],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
    resource_name: server.announcement.serverInfo.title ?? server.announcement.serverInfo.name,
  };
  return Response.json(metadata, { headers: CORS });
}

const CORS = { 'Access-Control-Allow-Origin': '*' } as const;
/** The official client asks with a header of its own, the version. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const;

/** The server that a metadata path names: with the path of the public URL, or as a proxy leaves it that took that off. */
function namedServer(path: string, { servers, publicUrl }: EndpointOptions): Server | undefined {
  const resourcePath = path.slice(METADATA_PATH.length).replace(/\/$/, '');
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const isPrefixed = prefix !== '' && (resourcePath === prefix || resourcePath.startsWith(`${prefix}/`));
  const own = isPrefixed ? resourcePath.slice(prefix.length) : resourcePath;
  if (own === '' || own === '/mcp') return servers.get(DEFAULT_SERVER_ID);
  const serverId = /^\/mcp\/([^/]+)$/.exec(own)?.[1];
  return serverId === undefined ? undefined : servers.get(serverId as ServerId);
}
