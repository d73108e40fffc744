import { discoverResult, type RequestId } from '@listen-gateway/protocol';
import type { EndpointContext, EndpointOptions } from './endpoint.ts';
import { forward } from './forward.ts';

/** Answers `server/discover`: with what the upstream says and this gateway adds, else from the configuration. */
export async function discover(
  c: EndpointContext,
  options: EndpointOptions,
  id: RequestId,
  bytes: Buffer,
): Promise<Response> {
  const { announcement, discovery, upstream } = c.get('server');
  const discovered = await discovery?.discover(upstream?.credentialOf(c.env.incoming));
  // It answered with an error: its own words are worth more to the host than ours.
  if (discovered?.kind === 'refused' && upstream !== undefined)
    return forward(c, options, upstream, { body: bytes, id });
  const result = discovered?.kind === 'merged' ? discovered.result : discoverResult(announcement);
  return Response.json({ jsonrpc: '2.0', id, result });
}
