import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { helpText } from './config-docs.ts';
import { type Environment, readEnvironment } from './config-environment.ts';
import { CONFIG_SECTIONS } from './config-fragments.ts';
import { printedConfig } from './config-print.ts';
import { membersOf, recordValueOf, type SchemaNode, type Setting, schemaNode, settingsOf } from './config-settings.ts';
import { type Entry, type ReadFile, readFlags, readYaml } from './config-sources.ts';
import { readText } from './config-text.ts';
import { didYouMean } from './did-you-mean.ts';

/** Where configuration comes from, beside the schema's defaults. */
export interface ConfigSources {
  /** Flags, without the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
}

export interface ConfigOptions {
  /** Top-level sections that another service reads; `configOrExit` knows them all. */
  readonly otherSections?: readonly string[];
}

export type LoadedConfig<T> =
  | { readonly ok: true; readonly config: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The setting that names the YAML file itself. */
const CONFIG_FILE_SETTING: Setting = {
  path: ['config'],
  key: 'config',
  names: { env: 'LG_CONFIG', flag: '--config' },
  form: 'text',
  values: 'path',
  sentence: 'The YAML file to read.',
};

/**
 * Reads a service's configuration: defaults < YAML file < environment < flags. Every problem is reported at once, by
 * key; an unknown key is one, because a misspelt limit would otherwise be no limit.
 */
export function loadConfig<Schema extends z.ZodObject>(
  schema: Schema,
  sources: ConfigSources,
  { otherSections = [] }: ConfigOptions = {},
): LoadedConfig<z.output<Schema>> {
  const node = schemaNode(schema);
  const settings = [CONFIG_FILE_SETTING, ...settingsOf(node)];
  const elsewhere = otherSections.filter((section) => !Object.hasOwn(membersOf(node) ?? {}, section));
  const environment = readEnvironment(settings, sources.env, sources.readFile, elsewhere);
  const flags = readFlags(settings, sources.argv);
  const problems = [...environment.problems, ...flags.problems];

  const entries = [...environment.entries, ...flags.entries];
  const path = entries.findLast(({ setting }) => setting === CONFIG_FILE_SETTING)?.text;
  const file = path === undefined ? { value: {}, problems: [] } : readYaml(path, sources.readFile);
  problems.push(...file.problems);

  const merged = { ...(file.value as Record<string, unknown>) };
  for (const section of elsewhere) delete merged[section];
  const origins = new Map<string, string>();
  for (const entry of entries) {
    if (entry.setting === CONFIG_FILE_SETTING) continue;
    const problem = place(merged, entry);
    if (problem !== undefined) problems.push(`${entry.setting.key}: ${problem} (${entry.origin})`);
    origins.set(entry.setting.key, entry.origin);
  }
  const known = withoutUnknown(node, merged, [], problems);
  const parsed = schema.safeParse(known);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => explain(issue, origins, path)));
  if (problems.length > 0 || !parsed.success) return { ok: false, problems };
  return { ok: true, config: parsed.data };
}

/**
 * What a service's `main.ts` begins with: the configuration, or the end of the process: after `--help` and
 * `--print-config` with 0, after a list of every problem with 2.
 */
export function configOrExit<Schema extends z.ZodObject>(
  schema: Schema,
  about: { readonly program: string; readonly summary: string } & ConfigOptions,
): z.output<Schema> {
  const argv = process.argv.slice(2);
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(helpText(schema, about));
    process.exit(0);
  }
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const sources = { argv: argv.filter((flag) => flag !== PRINT_FLAG), env: process.env, readFile };
  const loaded = loadConfig(schema, sources, { otherSections: CONFIG_SECTIONS, ...about });
  if (loaded.ok && argv.includes(PRINT_FLAG)) {
    process.stdout.write(printedConfig(loaded.config));
    process.exit(0);
  }
  if (loaded.ok) return loaded.config;
  process.stderr.write(`${about.program}: the configuration cannot be used:\n`);
  for (const problem of loaded.problems) process.stderr.write(`  ${problem}\n`);
  process.exit(2);
}

/** Takes the variables of OpenTelemetry. They have a standard of their own, and its SDK reads most of them itself. */
export function takeOtelEnvironment(): Environment {
  const taken = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_')));
  // By this one the SDK would print to standard output, in the midst of the log.
  delete process.env.OTEL_LOG_LEVEL;
  return taken;
}

/** Says what the service would run with, and ends. */
const PRINT_FLAG = '--print-config';

/** Puts an entry's value where its setting stands; answers what is wrong with the text instead. */
function place(root: Record<string, unknown>, { setting, text }: Entry): string | undefined {
  const read = readText(text, setting.form, setting.memberForm);
  if (!read.ok) return read.problem;
  const parents = setting.path.slice(0, -1);
  const name = setting.path.at(-1) ?? '';
  let section = root;
  for (const parent of parents) {
    const child = section[parent];
    const copy = isObject(child) ? { ...child } : {};
    section[parent] = copy;
    section = copy;
  }
  section[name] = read.value;
  return undefined;
}

/** Drops members that the schema does not know, with a problem for each, and empty YAML members, which set nothing. */
function withoutUnknown(node: SchemaNode, value: unknown, path: readonly string[], problems: string[]): unknown {
  const members = membersOf(node);
  const recordValue = recordValueOf(node);
  if (members === undefined && recordValue === undefined) return value;
  if (value === null) return {};
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const memberNode = recordValue ?? (members && Object.hasOwn(members, name) ? members[name] : undefined);
    const memberPath = [...path, name];
    if (memberNode === undefined) {
      problems.push(`${memberPath.join('.')}: no such setting${didYouMean(name, Object.keys(members ?? {}))}`);
      return [];
    }
    const rest = withoutUnknown(memberNode, member, memberPath, problems);
    return rest === null && memberNode.type !== undefined ? [] : [[name, rest]];
  });
  return Object.fromEntries(kept);
}

function explain(issue: z.core.$ZodIssue, origins: ReadonlyMap<string, string>, file: string | undefined): string {
  const path = issue.path.map(String);
  let origin = file;
  for (let length = path.length; length > 0; length -= 1) {
    const found = origins.get(path.slice(0, length).join('.'));
    if (found !== undefined) {
      origin = found;
      break;
    }
  }
  const message = issue.code === 'invalid_key' ? issue.issues.map((inner) => inner.message).join(', ') : issue.message;
  return `${path.join('.')}: ${message}${origin === undefined ? '' : ` (${origin})`}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
