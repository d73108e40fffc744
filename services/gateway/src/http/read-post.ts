import type { IncomingMessage } from 'node:http';
import { duplicateMember, type Inbound, RPC_CODES, readInbound } from '@listen-gateway/protocol';
import { BROKEN_OFF, readBody, TOO_LARGE } from '@listen-gateway/service-kit';
import { ambiguousHeader } from './ambiguous-header.ts';
import { decodeName } from './mcp-name.ts';
import { unreadableBody } from './readable-body.ts';

/** A POST as it was read: what it is, and the bytes that say so. */
export interface Post {
  readonly inbound: Inbound;
  readonly bytes: Buffer;
}

/** Reads one POST to the MCP endpoint: what it is, or how it is refused (P-2.2 to P-2.6). */
export async function readPost(incoming: IncomingMessage, bodyBytes: number): Promise<Post> {
  const { headers } = incoming;
  const unreadable = unreadableBody(headers);
  if (unreadable !== undefined) return refused(415, RPC_CODES.invalidRequest, unreadable);
  const bytes = await readBody(incoming, bodyBytes);
  if (bytes === TOO_LARGE) return refused(413, RPC_CODES.invalidRequest, `The body is larger than ${bodyBytes} bytes`);
  // Nobody is left to read this refusal; it is one all the same, and no fault of ours.
  if (bytes === BROKEN_OFF) return refused(400, RPC_CODES.parseError, 'The body broke off');
  const parsed = parseJson(bytes);
  if (parsed === NOT_JSON) return refused(400, RPC_CODES.parseError, 'The body is not JSON');
  const twice = duplicateMember(parsed.text);
  if (twice !== undefined) return refused(400, RPC_CODES.invalidRequest, `The body names "${twice}" twice`);

  const inbound = readInbound({
    body: parsed.body,
    protocolVersionHeader: single(headers['mcp-protocol-version']),
    methodHeader: single(headers['mcp-method']),
    nameHeader: decodeName(single(headers['mcp-name'])),
  });
  const ambiguous = inbound.kind === 'refused' ? undefined : ambiguousHeader(incoming);
  if (inbound.kind === 'refused' || ambiguous === undefined) return { inbound, bytes };
  const why = `Header mismatch: ${ambiguous} may be read in more than one way`;
  return refused(400, RPC_CODES.headerMismatch, why, inbound);
}

const NOT_JSON = Symbol('not JSON');

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** A body cut inside a character is not JSON; a byte-order mark may be ignored (RFC 8259, 8.1). */
function parseJson(bytes: Buffer): { readonly text: string; readonly body: unknown } | typeof NOT_JSON {
  try {
    const text = UTF_8.decode(bytes);
    return { text, body: JSON.parse(text) };
  } catch {
    return NOT_JSON;
  }
}

/** Node joins repeated unknown headers by ", "; the joined value then differs from the body's, and is refused. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function refused(status: number, code: number, why: string, message?: Exclude<Inbound, { kind: 'refused' }>): Post {
  const id = message === undefined || message.kind === 'notification' ? undefined : message.id;
  const refusal = { status, id, error: { code, message: why } };
  const silent = message !== undefined && id === undefined;
  return { inbound: { kind: 'refused', refusal, ...(silent && { silent }) }, bytes: NO_BYTES };
}

const NO_BYTES = Buffer.alloc(0);
