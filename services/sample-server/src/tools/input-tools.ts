import {
  acceptedContent,
  type CallToolResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { declaredCapabilities } from '../client-capabilities.ts';
import { textResult } from '../text-result.ts';

type Answer = CallToolResult | InputRequiredResult;

/** The answer to `askName`. */
export const NameAnswer = z.object({ name: z.string() });

/** Tools that need the host's input once: by elicitation, by sampling, by its roots (SEP-2322). */
export function registerInputTools(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name and greets it' },
    ({ mcpReq }): Answer => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_name', NameAnswer);
      return answer ? textResult(`Hello, ${answer.name}!`) : inputRequired({ inputRequests: { user_name: askName } });
    },
  );
  server.registerTool(
    'test_input_required_result_sampling',
    { description: 'Asks the model of the host for a capital' },
    ({ mcpReq }): Answer => {
      const view = inputResponse(mcpReq.inputResponses, 'capital_question');
      if (view.kind !== 'sampling') return inputRequired({ inputRequests: { capital_question: askCapital } });
      return textResult(`The model says: ${sampledText(view.result)}`);
    },
  );
  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Asks for the roots of the host and lists them' },
    ({ mcpReq }): Answer => {
      const view = inputResponse(mcpReq.inputResponses, 'client_roots');
      if (view.kind !== 'roots') return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
      return textResult(`Roots: ${view.roots.map((root) => root.uri).join(', ') || 'none'}`);
    },
  );
  server.registerTool(
    'test_missing_capability',
    { description: 'Needs a host that declares sampling; others are refused with -32021' },
    ({ mcpReq }): Answer => {
      if (mcpReq.inputResponses?.capital_question) return textResult('Sampling is there');
      return inputRequired({ inputRequests: { capital_question: askCapital } });
    },
  );
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only for the kinds of input that the host declares' },
    ({ mcpReq }): Answer => {
      if (mcpReq.inputResponses) return textResult(`Received ${Object.keys(mcpReq.inputResponses).join(', ')}`);
      const declared = declaredCapabilities(mcpReq);
      const inputRequests: InputRequests = {
        ...(declared.elicitation && { user_name: askName }),
        ...(declared.sampling && { capital_question: askCapital }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() }),
      };
      if (Object.keys(inputRequests).length === 0) return textResult('The host declares no kind of input');
      return inputRequired({ inputRequests });
    },
  );
}

const SampledText = z.object({ content: z.object({ text: z.string() }) });

/** What the host's model said; the SDK does not check what a client sends as a sampling result. */
function sampledText(result: unknown): string {
  const parsed = SampledText.safeParse(result);
  return parsed.success ? parsed.data.content.text : 'something that is not text';
}

/** The question for a name, as several tools ask it. */
export const askName = inputRequired.elicit({ message: 'What is your name?', requestedSchema: NameAnswer });

/** The question for a capital, put to the model of the host. */
export const askCapital = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
});
