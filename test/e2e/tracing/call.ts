import { PROTOCOL_VERSION } from '@listen-gateway/protocol';

/** The `_meta` of any request. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Calls a method that is forwarded; resolves with the status of its answer. */
export async function call(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(`${url}/mcp/backed`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': PROTOCOL_VERSION,
      'Mcp-Method': 'tools/list',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: ENVELOPE } }),
  });
  await response.arrayBuffer();
  return response.status;
}
