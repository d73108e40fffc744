import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Clock } from '@listen-gateway/core';
import { type ChangeCapabilities, type RequestId, readListen } from '@listen-gateway/protocol';
import type { Server } from '../servers.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { NodeSink } from './node-sink.ts';
import { listenRefusal, rpcResponse } from './refusal-response.ts';

/** How long a listen waits for its upstream's discover answer before it goes by the configuration. */
const DISCOVER_WAIT_MS = 2_000;

/** Answers `subscriptions/listen` with a stream on Node's own response, or refuses before a byte of it. */
export async function listen(
  c: EndpointContext,
  options: EndpointOptions,
  server: Server,
  { id, params }: { readonly id: RequestId; readonly params: Readonly<Record<string, unknown>> },
): Promise<Response> {
  const read = readListen(id, params, options.limits);
  if (!read.ok) return rpcResponse(read.refusal);
  const { serverId, announcement } = server;
  const capabilities = await honorable(c, options.clock, server);
  const outcome = await options.streams.listen(
    {
      serverId,
      server: { serverInfo: announcement.serverInfo, capabilities },
      subscriptionId: id,
      requested: read.requested,
    },
    (events) => new NodeSink(c.env.outgoing, events, options.lostHosts),
  );
  // Where the host has gone, nothing can be answered either.
  if (outcome === 'opened' || outcome === 'host-gone') return RESPONSE_ALREADY_SENT;
  return listenRefusal(id, outcome, options.random);
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
