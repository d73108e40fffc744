import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Round, SampleState } from '../sample-state.ts';
import { textResult } from '../text-result.ts';
import { askCapital, askName, NameAnswer } from './input-tools.ts';

type Answer = CallToolResult | InputRequiredResult;

const OkAnswer = z.object({ ok: z.boolean() });
const ColorAnswer = z.object({ color: z.string() });

/**
 * Tools that carry signed state from round to round (SEP-2322). The server keeps nothing between rounds;
 * state that fails its check never reaches a tool (`requestState.verify`).
 */
export function registerRoundTools(server: McpServer, { rounds }: SampleState): void {
  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks for a name, a capital and the roots in one round' },
    async ({ mcpReq: { inputResponses } }): Promise<Answer> => {
      const name = acceptedContent(inputResponses, 'user_name', NameAnswer);
      const capital = inputResponse(inputResponses, 'capital_question').kind === 'sampling';
      const roots = inputResponse(inputResponses, 'client_roots');
      if (name && capital && roots.kind === 'roots') {
        return textResult(`${name.name} has ${roots.roots.length} roots`);
      }
      return inputRequired({
        inputRequests: { user_name: askName, capital_question: askCapital, client_roots: inputRequired.listRoots() },
        requestState: await rounds.mint({ tool: 'multiple_inputs', round: 1 }),
      });
    },
  );
  for (const tool of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    server.registerTool(
      tool,
      { description: 'Asks for a confirmation and checks the state that comes back with it' },
      async ({ mcpReq }): Promise<Answer> => {
        const confirmed = acceptedContent(mcpReq.inputResponses, 'confirm', OkAnswer);
        if (confirmed && roundOf(tool, mcpReq) === 1) return textResult('state-ok: the state is the one minted here');
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({ message: 'Please confirm', requestedSchema: OkAnswer }),
          },
          requestState: await rounds.mint({ tool, round: 1 }),
        });
      },
    );
  }
  registerMultiRoundTool(server, rounds);
}

function registerMultiRoundTool(server: McpServer, rounds: SampleState['rounds']): void {
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks for a name, then for a color' },
    async ({ mcpReq }): Promise<Answer> => {
      const round = roundOf('multi_round', mcpReq);
      const name = round === 1 ? acceptedContent(mcpReq.inputResponses, 'step1', NameAnswer)?.name : nameOf(mcpReq);
      if (round === 0 || name === undefined) {
        const step1 = inputRequired.elicit({ message: 'Step 1: What is your name?', requestedSchema: NameAnswer });
        return inputRequired({
          inputRequests: { step1 },
          requestState: await rounds.mint({ tool: 'multi_round', round: 1 }),
        });
      }
      const color = round === 2 ? acceptedContent(mcpReq.inputResponses, 'step2', ColorAnswer)?.color : undefined;
      if (color) return textResult(`${name} likes ${color}`);
      const step2 = inputRequired.elicit({
        message: 'Step 2: What is your favorite color?',
        requestedSchema: ColorAnswer,
      });
      return inputRequired({
        inputRequests: { step2 },
        requestState: await rounds.mint({ tool: 'multi_round', round: 2, name }),
      });
    },
  );
}

type Request = ServerContext['mcpReq'];

/** The round that the client's state proves, 0 without any: state minted by another tool proves nothing here. */
function roundOf(tool: string, request: Request): number {
  const state = request.requestState<Round>();
  return state?.tool === tool ? state.round : 0;
}

function nameOf(request: Request): string | undefined {
  return request.requestState<Round>()?.name;
}
