import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { isLoopback } from '../loopback.ts';

/** Which `Host` and `Origin` headers are let in. */
export interface GuardOptions {
  /** The address that the service is bound to. */
  readonly host: string;
  /** Host names that clients use; when absent, those of the loopback where bound to it, else any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins such as `https://app.example`; when absent, those of the loopback where bound to it, else none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The section of the configuration that has the two lists, for the refusal to name. */
  readonly section: string;
}

export type Guard = (headers: {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}) => string | undefined;

/**
 * Says why a request is refused with `403`, if it is. A present Origin that is not allowed is refused, and an empty
 * list allows nobody; Host is checked against DNS rebinding (streamable-http, Security & Endpoint).
 */
export function createGuard({ host, allowedHosts, allowedOrigins, section }: GuardOptions): Guard {
  const onLoopback = isLoopback(host);
  const hosts = allowedHosts ?? (onLoopback ? localhostAllowedHostnames() : undefined);
  const originAllowed =
    allowedOrigins === undefined && onLoopback
      ? // An empty Origin is present and names no origin; the validator takes it for an absent one.
        (origin: string) => origin !== '' && validateOriginHeader(origin, localhostAllowedOrigins()).ok
      : (origin: string) => (allowedOrigins ?? []).includes(origin.toLowerCase());

  // Clients name the same Host again and again, and its parsing costs as much as all other checks of a head.
  let allowed: string | undefined;

  return (headers) => {
    if (hosts !== undefined && (allowed === undefined || headers.host !== allowed)) {
      const verdict = validateHostHeader(headers.host, [...hosts]);
      if (!verdict.ok) return `${verdict.message}; allow it by ${section}.allowedHosts`;
      allowed = headers.host;
    }
    if (headers.origin !== undefined && !originAllowed(headers.origin)) {
      return `Origin ${JSON.stringify(headers.origin)} is not allowed; allow it by ${section}.allowedOrigins`;
    }
    return undefined;
  };
}
