import type { IncomingMessage, ServerResponse } from 'node:http';

/** What an MCP client in a browser sends beyond what any page may; `*` would not stand for Authorization. */
const REQUEST_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
];

/** Headers of answers that such a client has to read. */
const EXPOSED = 'WWW-Authenticate, Mcp-Session-Id, Retry-After';
const PREFLIGHT_KEPT_S = '600';

/**
 * Lets the page that asks read the answer, whichever route writes it; its origin was let in by the guard. Without
 * credentials of the browser's own: hosts bring their token themselves, so no page can use somebody else's.
 */
export function allowOrigin({ headers: { origin } }: IncomingMessage, outgoing: ServerResponse): void {
  if (origin === undefined) return;
  outgoing.setHeader('Access-Control-Allow-Origin', origin);
  outgoing.setHeader('Access-Control-Expose-Headers', EXPOSED);
  outgoing.setHeader('Vary', 'Origin');
}

/** The answer to a browser that asks before it sends, and brings no token yet; undefined for any other request. */
export function preflight({ method, headers }: IncomingMessage): Response | undefined {
  const wanted = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || headers.origin === undefined || wanted === undefined) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'POST, GET, DELETE',
      'Access-Control-Allow-Headers': [...REQUEST_HEADERS, ...parametersIn(headers)].join(', '),
      'Access-Control-Max-Age': PREFLIGHT_KEPT_S,
      Vary: 'Origin, Access-Control-Request-Headers',
    },
  });
}

/** The headers that mirror parameters of a tool, of which each tool has its own (P-2.11). */
function parametersIn(headers: IncomingMessage['headers']): string[] {
  const asked = String(headers['access-control-request-headers'] ?? '').split(',');
  return asked.map((name) => name.trim()).filter((name) => /^mcp-param-[\w-]{1,128}$/i.test(name));
}
