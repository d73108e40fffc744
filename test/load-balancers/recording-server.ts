import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { RpcMessage } from '@listen-gateway/testkit';

/** An MCP server that writes down what it is asked, so that a request that came twice is seen. */
export interface RecordingServer {
  readonly port: number;
  /** The ids of the tool calls, in the order of their arrival. */
  readonly calls: readonly unknown[];
  /** The methods of everything that came. */
  readonly methods: readonly string[];
  close(): Promise<void>;
}

const RESULTS: Readonly<Record<string, object>> = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'recorder', version: '1' },
    ttlMs: 60_000,
    cacheScope: 'public',
  },
  'tools/list': { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'public' },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
};

/** Starts one that listens on the same port of 127.0.0.1 and 127.0.0.2, and counts as one. */
export async function openRecordingServer(port: number): Promise<RecordingServer> {
  const calls: unknown[] = [];
  const methods: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const message = JSON.parse((await request.setEncoding('utf8').toArray()).join('')) as RpcMessage;
    methods.push(message.method ?? '');
    if (message.method === 'tools/call') calls.push(message.id);
    if (message.id === undefined) return response.writeHead(202).end();
    const result = RESULTS[message.method ?? ''];
    const error = { code: -32601, message: 'unknown' };
    response.writeHead(result ? 200 : 404, { 'Content-Type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
  };
  const servers = ['127.0.0.1', '127.0.0.2'].map((host) => createServer(answer).listen(port, host));
  // Above what the shipped files reuse an idle connection for.
  for (const server of servers) server.keepAliveTimeout = 5_000;
  await Promise.all(
    servers.map((server) => server.listening || new Promise((resolve) => server.once('listening', resolve))),
  );
  return {
    port,
    calls,
    methods,
    close: async () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
