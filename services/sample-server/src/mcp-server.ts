import { McpServer } from '@modelcontextprotocol/server';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import type { SampleState } from './sample-state.ts';
import { registerContentTools } from './tools/content-tools.ts';
import { registerDemoTools } from './tools/demo-tools.ts';
import { registerInputTools } from './tools/input-tools.ts';
import { registerRoundTools } from './tools/round-tools.ts';
import { registerSchemaTools } from './tools/schema-tools.ts';
import { registerStreamTools } from './tools/stream-tools.ts';
import { registerTaskMethods } from './tools/task-methods.ts';
import { registerTaskTools } from './tools/task-tools.ts';

// Lists may be kept for a minute: a host that listens at the gateway is told when they change.
const LIST = { ttlMs: 60_000, cacheScope: 'public' } as const;

/**
 * The MCP server that answers one request. It announces no change notifications of its own: it holds no streams, and
 * what it would have to notify it publishes. The gateway in front announces them in its place.
 */
export function createMcpServer(state: SampleState): McpServer {
  const server = new McpServer(
    { name: 'listen-gateway-sample', version: '0.1.0' },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
        logging: {},
      },
      cacheHints: {
        'server/discover': LIST,
        'tools/list': LIST,
        'prompts/list': LIST,
        'resources/list': LIST,
        'resources/templates/list': LIST,
        'resources/read': LIST,
      },
      requestState: { verify: state.rounds.verify },
    },
  );
  registerContentTools(server);
  registerSchemaTools(server);
  registerStreamTools(server);
  registerInputTools(server);
  registerRoundTools(server, state);
  registerTaskTools(server, state);
  registerTaskMethods(server, state);
  registerPrompts(server, state);
  registerResources(server, state);
  // Last, because it asks which names of tools are taken.
  registerDemoTools(server, state);
  return server;
}
