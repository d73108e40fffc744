/** A request to the sample server, which must be answered through the gateway as it is directly. */
export interface RecordedRequest {
  readonly name: string;
  readonly verb?: 'POST' | 'GET' | 'DELETE' | 'PUT';
  /** Behind the path, with its question mark. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Leaves after so many frames of a stream, and compares what came until then. */
  readonly leavesAfter?: number;
  /** What no two servers say alike: ids, times and signatures. */
  readonly mask?: RegExp;
  /** The gateway answers it in its own words: status and error code are the same, the rest is not. */
  readonly answeredHere?: true;
}

type Rest = Partial<Omit<RecordedRequest, 'name' | 'body'>> & {
  readonly id?: string | number | null;
  readonly meta?: object;
  /** Applied to the JSON text before it is sent. */
  readonly spell?: (json: string) => string;
};

const VERSION = '2026-07-28';
const ACCEPT = 'application/json, text/event-stream';

/** A message of this revision, with the headers that mirror it. */
export function modern(name: string, method: string, params: object = {}, rest: Rest = {}): RecordedRequest {
  const { id = 'R1', meta, spell = (json: string) => json, headers, ...others } = rest;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  const { name: mirroredName, uri: mirroredUri } = params as { readonly name?: unknown; readonly uri?: unknown };
  const mirrored = typeof mirroredName === 'string' ? mirroredName : mirroredUri;
  return {
    name,
    headers: {
      'Content-Type': 'application/json',
      Accept: ACCEPT,
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...(typeof mirrored === 'string' && { 'Mcp-Name': mirrored }),
      ...headers,
    },
    body: spell(JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params: { _meta, ...params } })),
    ...others,
  };
}

/** A tool call. */
export function call(name: string, tool: string, args: object = {}, rest: Rest = {}): RecordedRequest {
  return modern(name, 'tools/call', { name: tool, arguments: args }, rest);
}

/** A message of the revision before. */
export function legacy(name: string, message: object, headers: RecordedRequest['headers'] = {}): RecordedRequest {
  const own = { 'Content-Type': 'application/json', Accept: ACCEPT, 'MCP-Protocol-Version': '2025-11-25' };
  return { name, headers: { ...own, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}
