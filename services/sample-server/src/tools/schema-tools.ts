import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { textResult } from '../text-result.ts';

/** Tools whose input is described in plain JSON Schema: what zod would not write must reach the host as it stands. */
export function registerSchemaTools(server: McpServer): void {
  server.registerTool(
    'region_report',
    { description: 'Names a region, which clients repeat in the header Mcp-Param-Region', inputSchema: regionSchema },
    ({ region }) => textResult(`Report for ${region ?? 'all regions'}`),
  );
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Takes a contact, described with the vocabulary of JSON Schema 2020-12',
      inputSchema: contactSchema,
    },
    (contact) => textResult(`Received ${JSON.stringify(contact)}`),
  );
}

// SEP-2243: clients mirror the value in a header, so that proxies can route on it without reading bodies.
const region = { type: 'string', 'x-mcp-header': 'Region' } as const;
const regionSchema = fromJsonSchema<{ region?: string }>({ type: 'object', properties: { region } });

const contactSchema = fromJsonSchema<Record<string, unknown>>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'address', type: 'object', properties: { city: { type: 'string' } } } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    phone: { type: 'string' },
    email: { type: 'string' },
    urgent: { type: 'boolean' },
  },
  required: ['name'],
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { urgent: { const: true } }, required: ['urgent'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema, in a value that nobody awaits
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});
