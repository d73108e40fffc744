import type { IncomingMessage } from 'node:http';
import type { TraceContext } from '@listen-gateway/protocol';
import { headerName } from '../http/header-name.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';

/** What the upstream may learn of the host's credential (P-3.4: a token goes to nobody but its audience). */
export type UpstreamAuthorization =
  | { readonly mode: 'off' }
  | { readonly mode: 'pass' }
  | { readonly mode: 'replace'; readonly credential: string };

/**
 * Names that say something about one connection only (RFC 9110, 7.6.1), or that the next request states anew: its
 * length, its target, its expectations, and whose credential it bears.
 */
const NOT_FORWARDED = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/** What a span that is recorded here stands in the place of. Baggage stays the host's to give. */
const TRACE_HEADERS = new Set(['traceparent', 'tracestate']);

/**
 * The headers of the request to the upstream, names and values in turn: all that the host sent, known or not and in
 * its order and spelling (P-2.11), but for those of the connection; where the request came from; and where its trace
 * stands, if that is not where it came from.
 */
export function requestHeaders(
  incoming: IncomingMessage,
  authorization: UpstreamAuthorization,
  proxies: TrustedProxies,
  trace?: TraceContext,
): string[] {
  const forwarded: string[] = [];
  const { rawHeaders, headers } = incoming;
  const named = headers.connection?.toLowerCase().split(/\s*,\s*/) ?? [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const { lower, meant } = headerName(name);
    // CGI knows no hyphens: to a server that speaks it, X_Forwarded_For is the header that is told below.
    if (NOT_FORWARDED.has(meant) || named.includes(lower)) continue;
    if (trace === undefined || !TRACE_HEADERS.has(lower)) forwarded.push(name, rawHeaders[at + 1] as string);
  }
  if (trace !== undefined) forwarded.push(...Object.entries(trace).flat());
  tellOrigin(forwarded, incoming, proxies);
  const credential = credentialFor(incoming, authorization);
  if (credential !== undefined) forwarded.push('Authorization', credential);
  return forwarded;
}

/** The `Authorization` that goes to the upstream, if any does. */
export function credentialFor({ headers }: IncomingMessage, authorization: UpstreamAuthorization): string | undefined {
  switch (authorization.mode) {
    case 'off':
      return undefined;
    case 'pass':
      return headers.authorization;
    case 'replace':
      return authorization.credential;
  }
}

/**
 * Both spellings of where a request came from: proxies and frameworks in the field read one or the other (RFC 7239).
 * What a peer says of hops before it goes on only where it is believed, since the upstream believes this gateway.
 */
function tellOrigin(forwarded: string[], incoming: IncomingMessage, proxies: TrustedProxies): void {
  const { socket } = incoming;
  const address = socket.remoteAddress ?? 'unknown';
  const told = proxies.believes(incoming) ? incoming.headers : {};
  const host = text(told['x-forwarded-host']) ?? incoming.headers.host ?? '';
  const protocol = text(told['x-forwarded-proto']) ?? 'http';
  const node = address.includes(':') ? `"[${address}]"` : address;
  // What the host says stands in quotes: an element of its own behind ours would be taken for the nearest hop.
  const hop = `for=${node};${host === '' ? '' : `host=${quoted(host)};`}proto=${isToken(protocol) ? protocol : quoted(protocol)}`;
  forwarded.push('X-Forwarded-For', joined(text(told['x-forwarded-for']), address));
  if (host !== '') forwarded.push('X-Forwarded-Host', host);
  forwarded.push('X-Forwarded-Proto', protocol, 'Forwarded', joined(told.forwarded, hop));
}

function isToken(protocol: string): boolean {
  return protocol === 'http' || /^[a-z]+$/i.test(protocol);
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '')}"`;
}

function joined(before: string | undefined, next: string): string {
  return before === undefined ? next : `${before}, ${next}`;
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
