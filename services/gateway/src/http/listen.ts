import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Clock, honor, type Listen, type ListenOutcome } from '@listen-gateway/core';
import { type ChangeCapabilities, type Filter, type RequestId, readListen } from '@listen-gateway/protocol';
import type { HostPrincipal } from '../auth/host-principal.ts';
import type { Granted } from '../authorization/authorizer.ts';
import { holderOf } from '../limits/holder.ts';
import type { Place } from '../limits/host-limits.ts';
import type { Server } from '../servers.ts';
import { beginListenSpan } from '../tracing/listen-span.ts';
import { challenge } from './bearer.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { NodeSink } from './node-sink.ts';
import { listenRefusal, rpcResponse } from './refusal-response.ts';

/** How long a listen waits for its upstream's discover answer before it goes by the configuration. */
const DISCOVER_WAIT_MS = 2_000;

/** A listen request, and who asks: nobody where the server does not authenticate its hosts. */
export interface ListenRequest {
  readonly id: RequestId;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: HostPrincipal | undefined;
}

/** Answers `subscriptions/listen` with a stream on Node's own response, or refuses before a byte of it. */
export async function listen(
  c: EndpointContext,
  options: EndpointOptions,
  server: Server,
  request: ListenRequest,
): Promise<Response> {
  const end = beginListenSpan(server.serverId, c.env.incoming.headers, request.params._meta);
  let status = 500;
  try {
    const response = await answer(c, options, server, request);
    status = response === RESPONSE_ALREADY_SENT ? c.env.outgoing.statusCode : response.status;
    return response;
  } finally {
    end(status);
  }
}

async function answer(
  c: EndpointContext,
  options: EndpointOptions,
  server: Server,
  { id, params, principal }: ListenRequest,
): Promise<Response> {
  const { streams, hostLimits, clock, random } = options;
  const read = readListen(id, params, options.limits);
  if (!read.ok) return rpcResponse(read.refusal);
  const { serverId, announcement } = server;
  const refusal = streams.refusalOf({ serverId, principal });
  if (refusal !== undefined) return listenRefusal(id, streams.refuse(serverId, refusal), random);
  const holder = holderOf(serverId, principal?.subject, options.proxies.addressOf(c.env.incoming));
  const waitMs = await hostLimits.pause(holder);
  if (waitMs > 0) return listenRefusal(id, streams.refuse(serverId, 'too-many-opens'), random, waitMs);
  const capabilities = await honorable(c, clock, server);
  const granted = await grant(server, principal, read.requested, capabilities);
  if (granted === 'authorizer-unavailable') return listenRefusal(id, streams.refuse(serverId, granted), random);
  const place = await hostLimits.take(holder);
  if (place === undefined) return listenRefusal(id, streams.refuse(serverId, `${holder.kind}-full`), random);
  const opener = principal && server.authentication?.streamPrincipal(principal);
  if (principal !== undefined && opener === undefined) {
    place.release();
    return challenge(c, options, server, 'expired');
  }
  const announced = { serverInfo: announcement.serverInfo, capabilities };
  const asked = { serverId, server: announced, subscriptionId: id, requested: granted, principal: opener };
  const outcome = await open(c, options, asked, place);
  // Where the host has gone, nothing can be answered either.
  if (outcome === 'opened' || outcome === 'host-gone') return RESPONSE_ALREADY_SENT;
  if (outcome === 'unauthorized') return challenge(c, options, server, 'expired');
  return listenRefusal(id, outcome, random);
}

/** Opens the stream; its place is given back with it, or at once where it comes to nothing. */
async function open(
  c: EndpointContext,
  { streams, lostHosts }: EndpointOptions,
  asked: Listen,
  place: Place,
): Promise<ListenOutcome> {
  const outcome = await streams.listen(
    asked,
    (events) => new NodeSink(c.env.outgoing, place.untilGone(events), lostHosts),
  );
  if (outcome !== 'opened') place.release();
  return outcome;
}

/** What of the request the principal may watch; nobody is asked about what the server does not support. */
async function grant(
  { authorizer }: Server,
  principal: HostPrincipal | undefined,
  requested: Filter,
  capabilities: ChangeCapabilities,
): Promise<Granted> {
  if (authorizer === undefined) return requested;
  if (principal === undefined) return {};
  const { subResources } = capabilities.resources;
  return authorizer.grant({ principal, requested: honor(requested, capabilities), subResources });
}

/** What discover announces to this host; an upstream that is slow or down keeps nobody from listening. */
async function honorable(
  c: EndpointContext,
  clock: Clock,
  { announcement, discovery, upstream }: Server,
): Promise<ChangeCapabilities> {
  if (discovery === undefined || upstream === undefined) return announcement.capabilities;
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(DISCOVER_WAIT_MS, () => resolve(undefined));
  });
  const discovered = await Promise.race([discovery.discover(upstream.credentialOf(c.env.incoming)), late]);
  cancel();
  return discovered?.kind === 'merged' ? discovered.capabilities : announcement.capabilities;
}
