import type { IncomingMessage } from 'node:http';
import { DEFAULT_SERVER_ID, type ServerId } from '@listen-gateway/protocol';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The path at which a server is served. */
export function endpointPath(serverId: ServerId): string {
  return serverId === DEFAULT_SERVER_ID ? '/mcp' : `/mcp/${serverId}`;
}

/** The URL of a server beneath the public URL: its resource URI (RFC 8707), and what its tokens are made for. */
export function resourceUrl(publicUrl: string, serverId: ServerId): string {
  return publicUrl.replace(/\/+$/, '') + endpointPath(serverId);
}

/**
 * The URL that hosts reach the gateway by: as configured, else as the request says. That is fit for telling a host where
 * to look; what a token must be made for is never taken from a request.
 */
export function publicUrlOf(
  incoming: IncomingMessage,
  configured: string | undefined,
  proxies: TrustedProxies,
): string {
  if (configured !== undefined) return configured;
  const { headers } = incoming;
  const believed = proxies.believes(incoming);
  const protocol = (believed ? nearest(headers['x-forwarded-proto']) : undefined) ?? 'http';
  const host = (believed ? nearest(headers['x-forwarded-host']) : undefined) ?? headers.host ?? '';
  const url = /^https?$/i.test(protocol) ? URL.parse(`${protocol}://${host}`) : null;
  // A Host of no host names nothing: whoever sent it will not get far with this either.
  return url?.origin ?? 'http://localhost';
}

/** What the nearest of several proxies said; the ones before it may have been told by the host. */
function nearest(value: string | string[] | undefined): string | undefined {
  return [value ?? []].flat().join(',').split(',').at(-1)?.trim() || undefined;
}
