import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

/** The peer of the fan-out bench: the official SDK's handler holding the streams in its own process, as its users run it. */
const handler = createMcpHandler(
  () => {
    const server = new McpServer(
      { name: 'peer', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    return server;
  },
  { maxSubscriptions: 1_000_000 },
);
const { PORT, CONTROL_PORT } = process.env;
createServer(getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false })).listen(
  Number(PORT),
  '127.0.0.1',
);
createServer((incoming, outgoing) => {
  if (incoming.url === '/publish') handler.notify.toolsChanged();
  const { user, system } = process.cpuUsage();
  outgoing.end(
    `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`,
  );
}).listen(Number(CONTROL_PORT), '127.0.0.1');
