import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import type { Publisher } from './publisher.ts';
import { Tasks } from './tasks.ts';

/** What an input request carries from one round of a tool call to the next; see `rounds`. */
export interface Round {
  readonly tool: string;
  readonly round: number;
  readonly name?: string;
}

/**
 * What the requests to one sample server share. MCP server instances live for a single request (the 2026 revision is
 * stateless), so whatever a tool changes has to live here, or the next `tools/list` would not show it.
 */
export interface SampleState {
  /** Names of the tools that hosts have added. */
  readonly addedTools: Set<string>;
  /** Names of the prompts that hosts have added. */
  readonly addedPrompts: Set<string>;
  readonly counter: { value: number };
  readonly tasks: Tasks;
  readonly publisher: Publisher;
  /** Signs the state that a client carries between rounds: it comes back as untrusted input. */
  readonly rounds: RequestStateCodec<Round>;
}

const ROUND_TTL_SECONDS = 600;

/** The state of a server that has just started. */
export function createSampleState(publisher: Publisher): SampleState {
  return {
    addedTools: new Set(),
    addedPrompts: new Set(),
    counter: { value: 0 },
    tasks: new Tasks(publisher),
    publisher,
    rounds: createRequestStateCodec<Round>({
      key: crypto.getRandomValues(new Uint8Array(32)),
      ttlSeconds: ROUND_TTL_SECONDS,
    }),
  };
}
