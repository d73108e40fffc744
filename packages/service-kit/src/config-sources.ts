import { parseArgs } from 'node:util';
import { parseDocument } from 'yaml';
import type { Setting } from './config-settings.ts';
import { didYouMean } from './did-you-mean.ts';

/** The text given for one setting, and what gave it: the variable's or flag's name. */
export interface Entry {
  readonly setting: Setting;
  readonly text: string;
  readonly origin: string;
}

export interface Entries {
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
}

export type ReadFile = (path: string) => string;

/** Reads `--key=value` and `--key value`; a flag of a boolean may stand alone. */
export function readFlags(settings: readonly Setting[], argv: readonly string[]): Entries {
  const byFlag = new Map(
    settings.flatMap((setting) => (setting.names ? [[setting.names.flag, setting] as const] : [])),
  );
  const options = Object.fromEntries(
    [...byFlag].map(([flag, { form }]) => [
      flag.slice('--'.length),
      { type: form === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const entries: Entry[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}": arguments are written --key=value`);
    if (token.kind !== 'option') continue;
    const setting = byFlag.get(token.rawName);
    if (setting === undefined) {
      problems.push(`${token.rawName}: no such flag${didYouMean(token.rawName, byFlag.keys())}`);
      continue;
    }
    const text = token.value ?? (setting.form === 'boolean' ? 'true' : undefined);
    if (text === undefined) problems.push(`${token.rawName}: needs a value`);
    else entries.push({ setting, text, origin: token.rawName });
  }
  return { entries, problems };
}

/** Reads the YAML file; an empty one sets nothing. */
export function readYaml(path: string, readFile: ReadFile): { readonly value: unknown; readonly problems: string[] } {
  const content = readOrExplain(path, readFile);
  if (!content.ok) return { value: {}, problems: [`${path}: ${content.problem}`] };
  const document = parseDocument(content.text);
  if (document.errors.length > 0) {
    return { value: {}, problems: document.errors.map(({ message }) => `${path}: ${message.split('\n')[0]}`) };
  }
  const value: unknown = document.toJS() ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return { value, problems: [] };
  return { value: {}, problems: [`${path}: must be a mapping of sections`] };
}

/** The text of a file, or why it cannot be read. */
export function readOrExplain(
  path: string,
  readFile: ReadFile,
): { ok: true; text: string } | { ok: false; problem: string } {
  try {
    return { ok: true, text: readFile(path) };
  } catch (error) {
    return { ok: false, problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
