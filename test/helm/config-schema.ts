import { gatewayConfig } from '@listen-gateway/service-gateway';
import { publisherConfig } from '@listen-gateway/service-publisher';
import { z } from 'zod';

type Node = z.core.JSONSchema.BaseSchema;

/**
 * What `config` may be, as JSON Schema of the draft that Helm reads: every section of the services that the chart runs, made from
 * the schemas by which they read it.
 */
export function configSchema(): Node {
  const sections = { ...sectionsOf(gatewayConfig), ...sectionsOf(publisherConfig) };
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(sections).map(([name, node]) => [name, portable(node) as Node])),
  };
}

function sectionsOf(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }).properties ?? {};
}

/** Helm's patterns know no lookahead, and formats mean something else to each validator; the services check both. */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => name !== 'format' && !(name === 'pattern' && String(member).includes('(?')),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, portable(member)]));
}
