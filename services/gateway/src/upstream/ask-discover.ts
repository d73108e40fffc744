import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  DISCOVER_METHOD,
  PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
} from '@listen-gateway/protocol';
import type { Dispatcher } from 'undici';
import type { DiscoverAnswer } from './discovery.ts';

/** An answer longer than this is no discover answer. */
const MOST_BYTES = 1_048_576;

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 'discover',
  method: DISCOVER_METHOD,
  params: {
    _meta: {
      [PROTOCOL_VERSION_META_KEY]: PROTOCOL_VERSION,
      [CLIENT_CAPABILITIES_META_KEY]: {},
      [CLIENT_INFO_META_KEY]: { name: 'listen-gateway', version: '1' },
    },
  },
});

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': PROTOCOL_VERSION,
  'Mcp-Method': DISCOVER_METHOD,
} as const;

/** What is asked, and how long for the whole answer: of a stream that never ends, every host would wait for ever. */
export interface DiscoverRequest {
  readonly path: string;
  readonly credential: string | undefined;
  readonly timeoutMs: number;
}

/** Asks an upstream `server/discover` on the gateway's own behalf; never rejects. */
export async function askDiscover(
  dispatcher: Dispatcher,
  { path, credential, timeoutMs }: DiscoverRequest,
): Promise<DiscoverAnswer> {
  try {
    const headers = { ...HEADERS, ...(credential !== undefined && { Authorization: credential }) };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await dispatcher.request({ path, method: 'POST', headers, body: BODY, signal });
    const text = await textOf(response.body);
    const isEvents = /^text\/event-stream\b/i.test(String(response.headers['content-type']));
    return read(isEvents ? dataOf(text) : text);
  } catch {
    return { kind: 'unreachable' };
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error('the discover answer is too long');
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A server may answer any request by a stream whose last event is the response; its data may stand on several lines. */
function dataOf(events: string): string {
  const blocks = events
    .split(/\r\n|\r|\n/)
    .join('\n')
    .split('\n\n');
  const last = blocks.findLast((block) => /^data:/m.test(block)) ?? '';
  return Array.from(last.matchAll(/^data: ?(.*)$/gm), ([, line]) => line).join('\n');
}

function read(text: string): DiscoverAnswer {
  try {
    const { result } = JSON.parse(text) as { readonly result?: unknown };
    if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
      return { kind: 'result', result: result as Record<string, unknown> };
    }
  } catch {
    // Not JSON: it speaks something else.
  }
  return { kind: 'refused' };
}
