import { TASKS_EXTENSION_KEY } from '@listen-gateway/protocol';
import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { declaredCapabilities } from '../client-capabilities.ts';
import type { SampleState } from '../sample-state.ts';
import type { Task } from '../task.ts';

type Request = ServerContext['mcpReq'];

const params = z.object({ taskId: z.string() });

/** Whether the host of this request declares the Tasks extension. */
export function knowsTasks(request: Request): boolean {
  return declaredCapabilities(request).extensions?.[TASKS_EXTENSION_KEY] !== undefined;
}

/** The methods of the Tasks extension (SEP-2663), which the SDK leaves to the server. */
export function registerTaskMethods({ server }: McpServer, { tasks }: SampleState): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION_KEY]: {} } });

  const named = (taskId: string, request: Request): Task => {
    if (!knowsTasks(request)) {
      const requiredCapabilities = { extensions: { [TASKS_EXTENSION_KEY]: {} } };
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
    }
    const task = tasks.find(taskId);
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}`);
    return task;
  };

  server.setRequestHandler('tasks/get', { params }, ({ taskId }, { mcpReq }) => named(taskId, mcpReq).detail);
  server.setRequestHandler('tasks/cancel', { params }, ({ taskId }, { mcpReq }) => {
    named(taskId, mcpReq).cancel();
    return {};
  });
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }, { mcpReq }) => {
    // The SDK takes `inputResponses` out of the parameters of every request, of an extension's too.
    await named(taskId, mcpReq).answer(mcpReq.inputResponses ?? {});
    return {};
  });
}
