import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** A server of the 2025 era, as they are in the field: on the SDK of that era, with a session for each host. */
export interface LegacyServer {
  readonly url: string;
  /** The method and status of each request so far. */
  readonly served: readonly string[];
  readonly openSessions: number;
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function openLegacyServer(): Promise<LegacyServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const served: string[] = [];
  const server = createServer((request, response) => {
    response.once('close', () => served.push(`${request.method} ${response.statusCode}`));
    void serve(sessions, request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    served,
    get openSessions() {
      return sessions.size;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serve(
  sessions: Map<string, StreamableHTTPServerTransport>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const named = request.headers['mcp-session-id'];
  let transport = sessions.get(String(named));
  if (transport === undefined && named !== undefined) {
    response.writeHead(404).end();
    return;
  }
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport as StreamableHTTPServerTransport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await openSession().connect(transport as Parameters<McpServer['connect']>[0]);
  }
  await transport.handleRequest(request, response);
}

/** A session; its tools do what only this era does: notify by themselves and ask the host in the middle of a call. */
function openSession(): McpServer {
  const server = new McpServer({ name: 'legacy', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool(
    'count',
    { description: 'Reports progress', inputSchema: { steps: z.number() } },
    async ({ steps }, { _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      for (let progress = 1; progressToken !== undefined && progress <= steps; progress += 1) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: steps } });
      }
      return { content: [{ type: 'text', text: `counted to ${steps}` }] };
    },
  );
  server.registerTool('ask', { description: 'Asks the host for a name' }, async () => {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    const { content } = await server.server.elicitInput({ message: 'Who are you?', requestedSchema });
    return { content: [{ type: 'text', text: `Hello, ${content?.name}!` }] };
  });
  server.registerTool('grow', { description: 'Adds a tool, of which the host is told on its GET stream' }, () => {
    server.registerTool('grown', {}, () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  return server;
}
