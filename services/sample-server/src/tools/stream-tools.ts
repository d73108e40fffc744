import { setTimeout as delay } from 'node:timers/promises';
import { inputRequired, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { textResult } from '../text-result.ts';

/** Tools whose answer is a stream: progress and logs belong to their own request, never to a listen stream (SUB-07). */
export function registerStreamTools(server: McpServer): void {
  server.registerTool(
    'test_tool_with_progress',
    {
      description: 'Reports progress from 0 to 100 while it runs',
      inputSchema: z.object({
        steps: z.int().min(1).max(1000).default(2),
        stepMs: z.int().min(0).max(60_000).default(50),
      }),
    },
    async ({ steps, stepMs }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let step = 0; step <= steps; step++) {
        // The signal is aborted when the host leaves: work for nobody stops here.
        if (step > 0) await delay(stepMs, undefined, { signal: mcpReq.signal });
        if (progressToken === undefined) continue;
        const params = { progressToken, progress: (100 * step) / steps, total: 100 };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return textResult(`Finished after ${steps} steps`);
    },
  );
  server.registerTool(
    'test_logging_tool',
    { description: 'Logs a line to the client, if the request asks for logs' },
    async ({ mcpReq }) => {
      await mcpReq.log('info', 'test_logging_tool has run');
      return textResult('Logged one line, for requests that set a log level');
    },
  );
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Asks for input by its result: a response stream never carries a request of its own' },
    ({ mcpReq }) => {
      if (mcpReq.inputResponses?.continue) return textResult('Continued');
      const schema = z.object({ go: z.boolean() });
      return inputRequired({
        inputRequests: { continue: inputRequired.elicit({ message: 'Continue?', requestedSchema: schema }) },
      });
    },
  );
}
