import type { IncomingMessage } from 'node:http';
import { retryAfter } from '@listen-gateway/service-kit';
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import type { HostPrincipal } from '../auth/host-principal.ts';
import { type AuthRefusal, refused } from '../auth/verdict.ts';
import type { Server } from '../servers.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { publicUrlOf, resourceUrl } from './public-url.ts';

/**
 * Who sent a request, by its bearer token: undefined where the server does not ask. A refusal is the answer; nothing of
 * the body has been read by then. The SDK's own check is of no use here: it refuses tokens that never expire, and takes
 * the first word of a header for the whole.
 */
export async function authenticate(
  c: EndpointContext,
  options: EndpointOptions,
  server: Server,
): Promise<HostPrincipal | undefined | Response> {
  const { authentication } = server;
  if (authentication === undefined) return undefined;
  const token = readBearer(c.env.incoming);
  const verdict = token.ok ? await authentication.authenticate(token.text) : authentication.refuse(token);
  return verdict.ok ? verdict.principal : challenge(c, options, server, verdict.reason);
}

/** The answer to a request that is not let in: what is missing, and where to get it (RFC 6750, RFC 9728). */
export function challenge(
  c: EndpointContext,
  { publicUrl, proxies, random }: EndpointOptions,
  { serverId, authentication }: Pick<Server, 'serverId' | 'authentication'>,
  reason: AuthRefusal,
): Response {
  if (reason === 'unavailable') {
    const body = { error: 'temporarily_unavailable', error_description: 'Tokens cannot be verified at the moment' };
    return Response.json(body, { status: 503, headers: { 'Retry-After': retryAfter(random) } });
  }
  const resource = new URL(resourceUrl(publicUrlOf(c.env.incoming, publicUrl, proxies), serverId));
  const requiredScopes = [...(authentication?.scopes ?? [])];
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
  const code = reason === 'insufficient-scope' ? OAuthErrorCode.InsufficientScope : OAuthErrorCode.InvalidToken;
  const error = new OAuthError(code, DESCRIPTIONS[reason]);
  const response = bearerAuthChallengeResponse(error, { requiredScopes, resourceMetadataUrl });
  // RFC 6750, 3.1: who brought no token made no error.
  if (reason === 'missing') {
    const scope = requiredScopes.length === 0 ? '' : `, scope="${requiredScopes.join(' ')}"`;
    response.headers.set('WWW-Authenticate', `Bearer resource_metadata="${resourceMetadataUrl}"${scope}`);
  }
  return response;
}

const DESCRIPTIONS: Readonly<Record<Exclude<AuthRefusal, 'unavailable'>, string>> = {
  missing: 'A bearer token is needed',
  malformed: 'The Authorization header bears no token that can be verified here',
  expired: 'The token has expired',
  foreign: 'The token was not made for this server',
  invalid: 'The token is not valid',
  'insufficient-scope': 'The token lacks a scope that is needed',
};

/** The token of the `Authorization` header, and of nothing else: URLs end up in logs (P-3.1). The scheme is in any letters. */
function readBearer({ headers, rawHeaders }: IncomingMessage) {
  const { authorization } = headers;
  if (authorization === undefined) return refused('missing');
  const isNamed = (name: string, at: number) => at % 2 === 0 && name.toLowerCase() === 'authorization';
  // Of two lines Node takes the first, and a server behind may take the other.
  if (rawHeaders.findIndex(isNamed) !== rawHeaders.findLastIndex(isNamed)) return refused('malformed');
  const text = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  return text === undefined ? refused('malformed') : ({ ok: true, text } as const);
}
