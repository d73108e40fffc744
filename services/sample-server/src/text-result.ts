import type { CallToolResult } from '@modelcontextprotocol/server';

/** A tool result that is one piece of text. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
