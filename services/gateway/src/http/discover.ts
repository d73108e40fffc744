import { discoverResult, type RequestId } from '@listen-gateway/protocol';
import type { Server } from '../servers.ts';
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
  const result = discovered?.kind === 'merged' ? discovered.result : discoverResult(announcement);
  return Response.json({ jsonrpc: '2.0', id, result });
}
