import { setTimeout as delay } from 'node:timers/promises';
import { TASKS_EXTENSION_KEY } from '@listen-gateway/protocol';
import {
  type CallToolResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { declaredCapabilities } from '../client-capabilities.ts';
import type { SampleState } from '../sample-state.ts';
import type { TaskPlan } from '../tasks.ts';
import { textResult } from '../text-result.ts';

const StartTask = z.object({
  label: z.string().max(200).default('task'),
  steps: z.int().min(1).max(100).default(3),
  stepMs: z.int().min(0).max(60_000).default(1_000),
});
const SlowCompute = z.object({ label: z.string().max(200).default('computation'), seconds: z.number().min(0).max(60) });

/** Tools that take a while, as tasks where the host knows tasks (SEP-2663); `slow_compute` is the official suite's name. */
export function registerTaskTools(server: McpServer, state: SampleState): void {
  server.registerTool(
    'start_task',
    { description: 'Works in steps; each step is published as notifications/tasks', inputSchema: StartTask },
    (plan, context) => work(state, plan, context),
  );
  server.registerTool(
    'slow_compute',
    { description: 'Takes so many seconds', inputSchema: SlowCompute },
    ({ label, seconds }, context) => work(state, { label, steps: 1, stepMs: Math.round(seconds * 1000) }, context),
  );
  server.registerTool(
    'greet',
    { description: 'Greets at once, never as a task', inputSchema: z.object({ name: z.string() }) },
    ({ name }) => textResult(`Hello, ${name}!`),
  );
  registerTaskMethods(server, state);
}

/** A host that does not declare the extension must never be handed a task: it waits for the result instead. */
async function work(state: SampleState, plan: TaskPlan, { mcpReq }: ServerContext): Promise<CallToolResult> {
  if (!knowsTasks(mcpReq)) {
    await delay(plan.steps * plan.stepMs, undefined, { signal: mcpReq.signal });
    return textResult(`${plan.label}: done`);
  }
  const task = state.tasks.start(plan);
  if (!task) return { ...textResult('There are too many tasks already'), isError: true };
  return { ...task, resultType: 'task', content: [] };
}

const TaskParams = z.object({ taskId: z.string() });

function registerTaskMethods({ server }: McpServer, { tasks }: SampleState): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION_KEY]: {} } });
  server.setRequestHandler('tasks/get', { params: TaskParams }, ({ taskId }, { mcpReq }) => {
    requireTasks(mcpReq);
    return tasks.find(taskId) ?? unknownTask(taskId);
  });
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, ({ taskId }, { mcpReq }) => {
    requireTasks(mcpReq);
    return tasks.cancel(taskId) ? {} : unknownTask(taskId);
  });
  // No task here asks for input, so every response in an update is one that the specification says to ignore.
  server.setRequestHandler('tasks/update', { params: TaskParams }, ({ taskId }, { mcpReq }) => {
    requireTasks(mcpReq);
    return tasks.find(taskId) ? {} : unknownTask(taskId);
  });
}

type Request = ServerContext['mcpReq'];

function knowsTasks(request: Request): boolean {
  return declaredCapabilities(request).extensions?.[TASKS_EXTENSION_KEY] !== undefined;
}

function requireTasks(request: Request): void {
  if (knowsTasks(request)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION_KEY]: {} } },
  });
}

function unknownTask(taskId: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}`);
}
