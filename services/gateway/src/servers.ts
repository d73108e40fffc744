import type { Clock } from '@listen-gateway/core';
import type { Announcement, ServerId } from '@listen-gateway/protocol';
import {
  type AuthConfig,
  productVersion,
  type ServerConfig,
  type ServersConfig,
  type UpstreamConfig,
} from '@listen-gateway/service-kit';
import type { HostAuthentication } from './auth/host-authentication.ts';
import { type AuthSetting, openAuthentication } from './auth/open-authentication.ts';
import type { Authorizer } from './authorization/authorizer.ts';
import { type AuthorizerOptions, openAuthorizer } from './authorization/open-authorizer.ts';
import { credentialOf } from './config.ts';
import { resourceUrl } from './http/public-url.ts';
import type { TrustedProxies } from './http/trusted-proxies.ts';
import { Discovery } from './upstream/discovery.ts';
import type { UpstreamAuthorization } from './upstream/request-headers.ts';
import { Upstream } from './upstream/upstream.ts';

/** One server as this instance serves it. */
export interface Server {
  readonly serverId: ServerId;
  /** What the configuration says of it. */
  readonly announcement: Announcement;
  /** Knows its hosts; absent where they are not authenticated. */
  readonly authentication: HostAuthentication | undefined;
  /** Decides what its hosts may watch; absent where they are not authenticated. */
  readonly authorizer: Authorizer | undefined;
  /** Where its requests go that are not answered here. */
  readonly upstream: Upstream | undefined;
  /** What its upstream says of it. */
  readonly discovery: Discovery | undefined;
}

/** How long hosts may keep a discover answer of the gateway's own: it changes with a deployment only. */
const DISCOVER_TTL_MS = 300_000;

export interface ServersOptions {
  readonly clock: Clock;
  readonly publicUrl: string | undefined;
  readonly proxies: TrustedProxies;
  readonly auth: AuthSetting;
  readonly onConsulted: AuthorizerOptions['onConsulted'];
}

/** The configured servers; their upstreams are connected to when the first request goes there. */
export function openServers(servers: ServersConfig, options: ServersOptions): ReadonlyMap<ServerId, Server> {
  return new Map([...servers].map(([serverId, server]) => [serverId, openServer(serverId, server, options)]));
}

/** Lets go of what the servers hold; requests under way break off. */
export async function closeServers(servers: ReadonlyMap<ServerId, Server>): Promise<void> {
  for (const { upstream, authorizer, authentication } of servers.values()) {
    authentication?.stop();
    await upstream?.close();
    await authorizer?.close();
  }
}

function openServer(serverId: ServerId, server: ServerConfig, options: ServersOptions): Server {
  const { name = serverId, title, version = productVersion(), instructions, capabilities } = server;
  const serverInfo = { name, ...(title !== undefined && { title }), version };
  const announcement = { serverInfo, instructions, capabilities, ttlMs: DISCOVER_TTL_MS };
  const authorizer = server.auth && openAuthorizer(serverId, server.auth, options);
  const authentication = server.auth && authenticationOf(serverId, server.auth, options);
  const served = { serverId, announcement, authentication, authorizer };
  if (server.upstream === undefined) return { ...served, upstream: undefined, discovery: undefined };
  const upstream = new Upstream({
    ...server.upstream,
    authorization: authorizationOf(server.upstream),
    proxies: options.proxies,
  });
  const discovery = new Discovery({
    clock: options.clock,
    configured: capabilities,
    ask: (credential) => upstream.askDiscover(credential),
  });
  return { ...served, upstream, discovery };
}

/** Tokens are made for the URL of the server, unless the configuration names another audience. */
function authenticationOf(serverId: ServerId, auth: AuthConfig, options: ServersOptions): HostAuthentication {
  const { audience = options.publicUrl && resourceUrl(options.publicUrl, serverId) } = auth;
  if (audience === undefined) throw new Error(`no audience of ${serverId} is configured`);
  return openAuthentication(serverId, { auth, audience }, options.auth);
}

function authorizationOf(upstream: UpstreamConfig): UpstreamAuthorization {
  const { authorization: mode } = upstream;
  return mode === 'replace' ? { mode, credential: credentialOf(upstream) } : { mode };
}
