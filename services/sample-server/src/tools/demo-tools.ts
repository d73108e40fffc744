import type { Change } from '@listen-gateway/protocol';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { COUNTER_URI } from '../resources.ts';
import type { SampleState } from '../sample-state.ts';
import { textResult } from '../text-result.ts';

/** A host may add so many tools: a server that anybody may fill needs a bound. */
const MAX_ADDED_TOOLS = 100;

// SEP-986: names of 1 to 64 of these characters.
const ToolName = z.string().regex(/^[A-Za-z0-9_./-]{1,64}$/);

/** Tools that change what this server offers, and tell the publisher: the demonstration of change notifications. */
export function registerDemoTools(server: McpServer, state: SampleState): void {
  server.registerTool(
    'add_tool',
    { description: 'Adds a tool to the list', inputSchema: z.object({ name: ToolName }) },
    async ({ name }) => {
      if (isTaken(server, name)) return refusal(`There is a tool ${name} already`);
      if (state.addedTools.size >= MAX_ADDED_TOOLS) return refusal(`There are ${MAX_ADDED_TOOLS} added tools already`);
      state.addedTools.add(name);
      return tell(state, { kind: 'tools' }, `Added the tool ${name}`);
    },
  );
  server.registerTool(
    'remove_tool',
    { description: 'Removes an added tool from the list', inputSchema: z.object({ name: ToolName }) },
    async ({ name }) => {
      if (!state.addedTools.delete(name)) return refusal(`There is no added tool ${name}`);
      return tell(state, { kind: 'tools' }, `Removed the tool ${name}`);
    },
  );
  server.registerTool('increment', { description: `Adds one to the counter at ${COUNTER_URI}` }, async () => {
    state.counter.value += 1;
    return tell(state, { kind: 'resource', uri: COUNTER_URI }, `The counter is at ${state.counter.value}`);
  });
  server.registerTool('test_trigger_tool_change', { description: 'Adds or removes the tool test_switched' }, async () =>
    tell(state, { kind: 'tools' }, `${turn(state.addedTools, 'test_switched')} the tool test_switched`),
  );
  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Adds or removes the prompt test_switched' },
    async () =>
      tell(state, { kind: 'prompts' }, `${turn(state.addedPrompts, 'test_switched')} the prompt test_switched`),
  );
  for (const name of state.addedTools) {
    server.registerTool(name, { description: 'A tool that a host added' }, () => textResult(`This is ${name}`));
  }
}

/** Called after the change is made: hosts read again as soon as they are told. */
async function tell(state: SampleState, change: Change, done: string): Promise<CallToolResult> {
  const outcome = await state.publisher.publish(change);
  switch (outcome) {
    case 'published':
      return textResult(`${done}; published.`);
    case 'no-publisher':
      return textResult(`${done}; nobody was told, because no publisher is configured.`);
    case 'failed':
      return textResult(`${done}; nobody was told, because the publisher did not take the change.`);
  }
}

function turn(names: Set<string>, name: string): 'Added' | 'Removed' {
  if (names.delete(name)) return 'Removed';
  names.add(name);
  return 'Added';
}

function isTaken(server: McpServer, name: string): boolean {
  return server.toolInputSchemaJson(name) !== undefined;
}

function refusal(reason: string): CallToolResult {
  return { ...textResult(reason), isError: true };
}
