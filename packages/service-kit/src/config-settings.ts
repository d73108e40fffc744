import { z } from 'zod';

/** What the text of an environment variable or flag is turned into. */
export type SettingForm = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'any';

/** One leaf of a configuration schema, under every name it has. */
export interface Setting {
  /** Members from the root, as in the YAML file. */
  readonly path: readonly string[];
  /** The path with dots: how problems and documents name it. */
  readonly key: string;
  /** Absent beneath a record, whose member names are the operator's: set the record as a whole, or use the file. */
  readonly names?: { readonly env: string; readonly flag: string };
  readonly form: SettingForm;
  /** Of a list: what its members are. */
  readonly memberForm?: SettingForm;
  /** The values it takes, in words. */
  readonly values: string;
  readonly sentence: string;
  readonly fallback?: unknown;
}

/** A schema as it is walked here: its JSON Schema, which zod keeps stable where its internals are not. */
export type SchemaNode = z.core.JSONSchema.BaseSchema;

export function schemaNode(schema: z.ZodObject): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** Every setting of a schema, in the order of the schema. */
export function settingsOf(node: SchemaNode): readonly Setting[] {
  return walk(node, [], true);
}

/** The members of an object node; undefined for a record and for anything that is no object. */
export function membersOf(node: SchemaNode): Readonly<Record<string, SchemaNode>> | undefined {
  return node.properties as Record<string, SchemaNode> | undefined;
}

/** What each member of a record node is, whatever its name; undefined for anything else. */
export function recordValueOf(node: SchemaNode): SchemaNode | undefined {
  const value = node.additionalProperties;
  return node.properties === undefined && typeof value === 'object' ? (value as SchemaNode) : undefined;
}

function walk(node: SchemaNode, path: readonly string[], named: boolean): Setting[] {
  const members = membersOf(node);
  if (members !== undefined) {
    return Object.entries(members).flatMap(([name, member]) => walk(member, [...path, name], named));
  }
  const recordValue = recordValueOf(node);
  const beneath = recordValue && membersOf(recordValue) ? walk(recordValue, [...path, '<name>'], false) : [];
  return [leaf(node, path, named), ...beneath];
}

function leaf(node: SchemaNode, path: readonly string[], named: boolean): Setting {
  const form = formOf(node);
  return {
    path,
    key: path.join('.'),
    ...(named && { names: { env: envName(path), flag: flagName(path) } }),
    form,
    ...(form === 'list' && { memberForm: formOf(memberNode(node)) }),
    values: valuesOf(node),
    sentence: node.description ?? '',
    ...(node.default !== undefined && { fallback: node.default }),
  };
}

function envName(path: readonly string[]): string {
  return `LG_${path.map((name) => words(name).join('_').toUpperCase()).join('__')}`;
}

function flagName(path: readonly string[]): string {
  return `--${path.map((name) => words(name).join('-')).join('.')}`;
}

function words(name: string): string[] {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function formOf(node: SchemaNode): SettingForm {
  switch (node.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return 'list';
    case 'object':
      return 'json';
    default:
      return 'any';
  }
}

function valuesOf(node: SchemaNode): string {
  if (node.enum) return node.enum.join(' | ');
  const { minimum, maximum } = node;
  switch (formOf(node)) {
    case 'number':
      return minimum !== undefined && isLimit(maximum) ? `${minimum}–${maximum}` : `number from ${minimum ?? 'any'}`;
    case 'boolean':
      return 'true | false';
    case 'list':
      return `list of ${valuesOf(memberNode(node))}`;
    case 'json':
      return 'mapping';
    default:
      return 'text';
  }
}

/** zod writes the safe-integer bound for every `int()`; nobody set that one. */
function isLimit(maximum: number | undefined): boolean {
  return maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
}

function memberNode(node: SchemaNode): SchemaNode {
  return typeof node.items === 'object' && !Array.isArray(node.items) ? (node.items as SchemaNode) : {};
}
