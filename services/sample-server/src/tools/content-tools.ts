import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CLICK_WAV, PIXEL_PNG } from '../sample-media.ts';
import { textResult } from '../text-result.ts';

/** Tools that answer with one kind of content each; the official suite calls the `test_…` ones by name. */
export function registerContentTools(server: McpServer): void {
  server.registerTool(
    'echo',
    { description: 'Returns the text it is given', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => textResult(text),
  );
  server.registerTool(
    'greet',
    { description: 'Greets by name', inputSchema: z.object({ name: z.string() }) },
    ({ name }) => textResult(`Hello, ${name}!`),
  );
  server.registerTool('test_simple_text', { description: 'Returns a line of text' }, () =>
    textResult('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description: 'Returns a picture of one pixel' }, () => ({
    content: [pixel],
  }));
  server.registerTool('test_audio_content', { description: 'Returns a millisecond of sound' }, () => ({
    content: [{ type: 'audio', data: CLICK_WAV, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Returns a resource inside the result' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Returns text, a picture and a resource' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      pixel,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }));
  server.registerTool('test_error_handling', { description: 'Always fails, as a tool error' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
}

const pixel = { type: 'image' as const, data: PIXEL_PNG, mimeType: 'image/png' };
