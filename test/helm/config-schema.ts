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
    properties: members(sections) as Record<string, Node>,
  };
}

function sectionsOf(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }).properties ?? {};
}

/**
 * Helm's patterns know no lookahead, and formats mean something else to each validator; the services check both. An empty member
 * sets nothing, which is how one file of values takes back what another has set.
 */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => name !== 'format' && !(name === 'pattern' && String(member).includes('(?')),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, name === 'properties' ? members(member as object) : portable(member)]),
  );
}

function members(nodes: object): object {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, orEmpty(portable(node) as Node)]));
}

function orEmpty(node: Node): Node {
  const { type, enum: values } = node;
  if (type === undefined) return node;
  return { ...node, type: [type, 'null'] as never, ...(values !== undefined && { enum: [...values, null] }) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
