import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { PIXEL_PNG } from './sample-media.ts';
import type { SampleState } from './sample-state.ts';

/** The resource that the tool `increment` changes. */
export const COUNTER_URI = 'demo://counter';

/** The resources of the sample server; the official suite reads the `test://…` ones. */
export function registerResources(server: McpServer, { counter }: SampleState): void {
  server.registerResource(
    'counter',
    COUNTER_URI,
    // Read again at once by every host that is told of a change: a copy that may be old would hide the change.
    {
      description: 'How often increment was called',
      mimeType: 'text/plain',
      cacheHint: { ttlMs: 0, cacheScope: 'public' },
    },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: String(counter.value) }] }),
  );
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text that never changes', mimeType: 'text/plain' },
    (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'A picture of one pixel', mimeType: 'image/png' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL_PNG }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'A document for each id', mimeType: 'application/json' },
    (uri, { id }) => {
      const document = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(document) }] };
    },
  );
}
