import { LISTEN_METHOD, PROTOCOL_VERSION, type ServerId } from '@listen-gateway/protocol';
import type { Standalone } from './standalone.ts';

/** What a newcomer reads at the start: the URLs, and the lines that show a change arriving. */
export function welcome({ gateway, publisher, sample, serverId }: Standalone): string {
  const endpoint = serverId === 'default' ? `${gateway.url}/mcp` : `${gateway.url}/mcp/${serverId}`;
  const lines = [
    'Listen Gateway is running.',
    '',
    `  hosts listen at       ${endpoint}`,
    `  backends publish to   ${publisher.url}/v1/servers/${serverId}/changes`,
    ...(sample ? [`  a sample MCP server   ${sample.url}, behind the endpoint`] : []),
    '',
    'Listen, in one terminal:',
    '',
    rpcCurl(endpoint, LISTEN_METHOD, { notifications: { toolsListChanged: true } }),
    '',
    'Say that the tools changed, in another:',
    '',
    `  ${publishCurl(publisher.url, serverId)}`,
    ...(sample ? ['', 'Or let the sample server add a tool, and say so itself:', '', addToolCurl(sample.url)] : []),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function publishCurl(url: string, serverId: ServerId): string {
  const body = `{"method":"notifications/tools/list_changed"}`;
  return `curl ${url}/v1/servers/${serverId}/changes -H 'Content-Type: application/json' -d '${body}'`;
}

function addToolCurl(url: string): string {
  return rpcCurl(url, 'tools/call', { name: 'add_tool', arguments: { name: 'deploy' } }, { 'Mcp-Name': 'add_tool' });
}

function rpcCurl(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const all = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': PROTOCOL_VERSION,
    'Mcp-Method': method,
    ...headers,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } });
  const flags = Object.entries(all).map(([name, value]) => `-H '${name}: ${value}'`);
  return `  curl -N ${url} ${flags.join(' ')} \\\n    -d '${body}'`;
}
