import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** What every answer of the gateway's own says: keep it nowhere, and take it for nothing but what it says it is. */
export const HARDENING = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** Adds it to an answer; one that went out on Node's response has its own head, and must not be touched any more. */
export function hardened(response: Response): Response {
  if (response === RESPONSE_ALREADY_SENT) return response;
  for (const [name, value] of Object.entries(HARDENING)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
