import {
  acceptedContent,
  completable,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PIXEL_PNG } from './sample-media.ts';
import type { SampleState } from './sample-state.ts';

const CITIES = ['paris', 'park', 'party', 'test', 'testing'];
const ContextAnswer = z.object({ context: z.string() });

/** The prompts of the sample server; the official suite gets the `test_…` ones by name. */
export function registerPrompts(server: McpServer, { addedPrompts }: SampleState): void {
  server.registerPrompt('test_simple_prompt', { description: 'One line of text' }, () =>
    fromUser(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Repeats its two arguments; the first can be completed',
      argsSchema: z.object({
        arg1: completable(z.string(), (start) => CITIES.filter((city) => city.startsWith(start))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => fromUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds the resource it is given', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => {
      const resource = {
        uri: resourceUri,
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      };
      return fromUser({ type: 'resource', resource }, text('Please process the embedded resource above.'));
    },
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A picture and a question' }, () =>
    fromUser({ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }, text('Please analyze the image above.')),
  );
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks for the context it is to be used in' },
    ({ mcpReq }): GetPromptResult | InputRequiredResult => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_context', ContextAnswer);
      if (answer) return fromUser(text(`Use this context: ${answer.context}`));
      const message = 'What context should the prompt use?';
      const ask = inputRequired.elicit({ message, requestedSchema: ContextAnswer });
      return inputRequired({ inputRequests: { user_context: ask } });
    },
  );
  for (const name of addedPrompts) {
    server.registerPrompt(name, { description: 'A prompt that a host added' }, () => fromUser(text(`This is ${name}`)));
  }
}

type Content = GetPromptResult['messages'][number]['content'];

function fromUser(...contents: Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}

function text(value: string): Content {
  return { type: 'text', text: value };
}
