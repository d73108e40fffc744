import type { Clock } from '@listen-gateway/core';
import type { Announcement, ServerId } from '@listen-gateway/protocol';
import {
  productVersion,
  type ServerConfig,
  type ServersConfig,
  type UpstreamConfig,
} from '@listen-gateway/service-kit';
import { credentialOf } from './config.ts';
import { Discovery } from './upstream/discovery.ts';
import type { UpstreamAuthorization } from './upstream/request-headers.ts';
import { Upstream } from './upstream/upstream.ts';

/** One server as this instance serves it. */
export interface Server {
  readonly serverId: ServerId;
  /** What the configuration says of it. */
  readonly announcement: Announcement;
  /** Where its requests go that are not answered here. */
  readonly upstream: Upstream | undefined;
  /** What its upstream says of it. */
  readonly discovery: Discovery | undefined;
}

/** How long hosts may keep a discover answer of the gateway's own: it changes with a deployment only. */
const DISCOVER_TTL_MS = 300_000;

/** The configured servers; their upstreams are connected to when the first request goes there. */
export function openServers(servers: ServersConfig, clock: Clock): ReadonlyMap<ServerId, Server> {
  return new Map([...servers].map(([serverId, server]) => [serverId, openServer(serverId, server, clock)]));
}

function openServer(serverId: ServerId, server: ServerConfig, clock: Clock): Server {
  const { name = serverId, title, version = productVersion(), instructions, capabilities } = server;
  const serverInfo = { name, ...(title !== undefined && { title }), version };
  const announcement = { serverInfo, instructions, capabilities, ttlMs: DISCOVER_TTL_MS };
  if (server.upstream === undefined) return { serverId, announcement, upstream: undefined, discovery: undefined };
  const upstream = new Upstream({ ...server.upstream, authorization: authorizationOf(server.upstream) });
  const discovery = new Discovery({
    clock,
    configured: capabilities,
    ask: (credential) => upstream.askDiscover(credential),
  });
  return { serverId, announcement, upstream, discovery };
}

function authorizationOf(upstream: UpstreamConfig): UpstreamAuthorization {
  const { authorization: mode } = upstream;
  return mode === 'replace' ? { mode, credential: credentialOf(upstream) } : { mode };
}
