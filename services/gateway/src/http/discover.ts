import { type Announcement, discoverResult, type RequestId } from '@listen-gateway/protocol';
import type { Server } from '../servers.ts';
import type { Discovered } from '../upstream/discovery.ts';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { forward } from './forward.ts';

/** Answers `server/discover`: with what the upstream says and this gateway adds, else from the configuration. */
export async function discover(
  c: EndpointContext,
  options: EndpointOptions,
  { serverId, announcement, discovery, upstream }: Server,
  { id, body }: { readonly id: RequestId; readonly body: Buffer },
): Promise<Response> {
  const discovered = await discovery?.discover(upstream?.credentialOf(c.env.incoming));
  // It answered with an error: its own words are worth more to the host than ours.
  if (discovered?.kind === 'refused' && upstream !== undefined)
    return forward(c, options, { serverId, upstream, body, id });
  return Response.json({ jsonrpc: '2.0', id, result: resultOf(discovered, announcement) });
}

function resultOf(discovered: Discovered | undefined, announcement: Announcement): Readonly<Record<string, unknown>> {
  if (discovered?.kind === 'merged') return discovered.result;
  // What stands in for an upstream that is down is true until it is up, and no host should keep it for longer.
  return discoverResult(discovered === undefined ? announcement : { ...announcement, ttlMs: 0 });
}
