import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** What every answer of the gateway's own says: keep it nowhere, and take it for nothing but what it says it is. */
const HARDENING = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** By which the adaptor knows it, if the router made another response of it. */
const ALREADY_SENT = 'x-hono-already-sent';

/** A response whose body is still at hand as text. */
export class TextResponse extends Response {
  readonly content: string;

  constructor(content: string, init: { readonly status: number; readonly headers: Readonly<Record<string, string>> }) {
    super(content, init);
    this.content = content;
  }
}

/**
 * Sends an answer. Text goes to Node's response as it is: by way of a web stream, which the adaptor reads such a body by,
 * a refusal would cost more than the stream that it refuses. What went out already must not be touched any more.
 */
export function send(outgoing: ServerResponse, response: Response): Response {
  const { headers } = response;
  if (response === RESPONSE_ALREADY_SENT || headers.has(ALREADY_SENT)) return response;
  for (const [name, value] of Object.entries(HARDENING)) if (!headers.has(name)) headers.set(name, value);
  if (!(response instanceof TextResponse)) return response;
  const { status, content } = response;
  outgoing.writeHead(status, { ...Object.fromEntries(headers), 'Content-Length': Buffer.byteLength(content) });
  outgoing.end(content);
  return RESPONSE_ALREADY_SENT;
}
