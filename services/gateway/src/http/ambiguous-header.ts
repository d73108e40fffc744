import type { IncomingMessage } from 'node:http';
import { headerName } from './header-name.ts';

/** The headers that decide what a request is. */
const DECIDING: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
]);

/**
 * Names a header that decides here what a request is, and that a server behind this gateway may read otherwise: one
 * that stands twice, of which it may take the other; one with underscores, which servers that speak CGI cannot tell from
 * hyphens; one that `Connection` names, so that it would be dropped on the way (RFC 9110, 7.6.1 forbids to name it).
 */
export function ambiguousHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { lower, meant } = headerName(rawHeaders[at] as string);
    if (!DECIDING.has(meant)) continue;
    if (lower !== meant || seen.includes(lower)) return lower;
    seen.push(lower);
  }
  const named = headers.connection?.toLowerCase().split(',') ?? [];
  return named.map((option) => option.trim()).find((option) => DECIDING.has(option));
}
