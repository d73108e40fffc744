import { PROTOCOL_VERSION } from '@listen-gateway/protocol';

const FIELDS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': PROTOCOL_VERSION,
} as const;

/** A request of this revision with its mirrored headers, as `FrontHost.post` takes it. */
export function request(method: string, id: string | number, params: object = {}): [Record<string, string>, string] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta, ...params } });
  return [{ ...FIELDS, 'Mcp-Method': method }, body];
}

/** A tool call; the second of two with one id could be the second order. */
export function toolCall(id: string | number): [Record<string, string>, string] {
  const [headers, body] = request('tools/call', id, { name: 'order', arguments: {} });
  return [{ ...headers, 'Mcp-Name': 'order' }, body];
}

/** A request of the 2025 era, which has no mirrored headers. */
export function legacyRequest(method: string, id: string | number): [Record<string, string>, string] {
  return [{ ...FIELDS, 'MCP-Protocol-Version': '2025-11-25' }, JSON.stringify({ jsonrpc: '2.0', id, method })];
}
