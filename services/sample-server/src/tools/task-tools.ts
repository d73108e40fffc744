import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SampleState } from '../sample-state.ts';
import type { Work } from '../task.ts';
import { textResult } from '../text-result.ts';
import { askName, NameAnswer } from './input-tools.ts';
import { knowsTasks } from './task-methods.ts';

const StartTask = z.object({
  label: z.string().max(200).default('task'),
  steps: z.int().min(1).max(100).default(3),
  stepMs: z.int().min(0).max(60_000).default(1_000),
});
const SlowCompute = z.object({ label: z.string().max(200).default('computation'), seconds: z.number().min(0).max(60) });
const ConfirmAnswer = z.object({ confirm: z.boolean() });

/** Tools that take a while, as tasks where the host knows tasks (SEP-2663). */
export function registerTaskTools(server: McpServer, state: SampleState): void {
  server.registerTool(
    'start_task',
    { description: 'Works in steps; each step is published as notifications/tasks', inputSchema: StartTask },
    ({ label, steps, stepMs }, { mcpReq }) =>
      perform(state, mcpReq, async (task) => {
        for (let step = 1; step <= steps; step++) {
          await delay(stepMs, undefined, { signal: task.signal });
          await task.say(`${label}: ${step} of ${steps} steps`);
        }
        return textResult(`${label}: done`);
      }),
  );
  server.registerTool(
    'slow_compute',
    { description: 'Takes so many seconds', inputSchema: SlowCompute },
    ({ label, seconds }, { mcpReq }) =>
      perform(state, mcpReq, async (task) => {
        await delay(seconds * 1_000, undefined, { signal: task.signal });
        return textResult(`${label}: done`);
      }),
  );
  server.registerTool('failing_job', { description: 'Ends as a tool error' }, ({ mcpReq }) =>
    perform(state, mcpReq, async () => ({ ...textResult('This job always fails'), isError: true })),
  );
  server.registerTool('protocol_error_job', { description: 'Breaks off' }, ({ mcpReq }) =>
    perform(state, mcpReq, async () => {
      throw new Error('This job always breaks off');
    }),
  );
  registerAskingTools(server, state);
}

function registerAskingTools(server: McpServer, state: SampleState): void {
  server.registerTool(
    'confirm_delete',
    { description: 'Asks before it pretends to delete', inputSchema: z.object({ filename: z.string() }) },
    ({ filename }, { mcpReq }) =>
      perform(state, mcpReq, async (task) => {
        const message = `Delete ${filename}?`;
        const answers = await task.ask({ confirm: inputRequired.elicit({ message, requestedSchema: ConfirmAnswer }) });
        const confirmed = acceptedContent(answers, 'confirm', ConfirmAnswer)?.confirm === true;
        return textResult(confirmed ? `Deleted ${filename}, as it were` : `Kept ${filename}`);
      }),
  );
  server.registerTool('multi_input', { description: 'Asks two questions at once' }, ({ mcpReq }) =>
    perform(state, mcpReq, async (task) => {
      const answers = await task.ask({ first: askName, second: askName });
      const names = ['first', 'second'].map((key) => acceptedContent(answers, key, NameAnswer)?.name ?? 'nobody');
      return textResult(names.join(' and '));
    }),
  );
  server.registerTool(
    'test_tool_with_task',
    { description: 'Asks for a name first, and only then starts a task' },
    ({ mcpReq }): InputRequiredResult | Promise<CallToolResult> => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_name', NameAnswer);
      if (!answer) return inputRequired({ inputRequests: { user_name: askName } });
      return perform(state, mcpReq, async () => textResult(`Hello, ${answer.name}!`));
    },
  );
}

/** A host that does not declare the extension must never be handed a task: it waits for the result instead. */
async function perform(state: SampleState, request: ServerContext['mcpReq'], work: Work): Promise<CallToolResult> {
  if (!knowsTasks(request)) {
    const ask = () => Promise.reject(new Error('This tool needs a host that knows tasks'));
    return work({ signal: request.signal, say: async () => {}, ask });
  }
  const task = state.tasks.start(work);
  if (!task) return { ...textResult('There are too many tasks already'), isError: true };
  return { ...task, resultType: 'task', content: [] };
}
