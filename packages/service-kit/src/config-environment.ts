import type { Setting } from './config-settings.ts';
import { type Entries, type Entry, type ReadFile, readOrExplain } from './config-sources.ts';
import { didYouMean } from './did-you-mean.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'LG_';
const FILE_SUFFIX = '_FILE';

/**
 * Reads the `LG_` variables. An empty one counts as unset, because compose files and charts pass on what is not set
 * as empty; one that names no setting is a problem, unless it belongs to a section that another service reads.
 */
export function readEnvironment(
  settings: readonly Setting[],
  env: Environment,
  readFile: ReadFile,
  otherSections: readonly string[],
): Entries {
  const byName = new Map(settings.flatMap((setting) => (setting.names ? [[setting.names.env, setting] as const] : [])));
  const elsewhere = otherSections.map((section) => PREFIX + section.toUpperCase());
  const entries: Entry[] = [];
  const problems: string[] = [];
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || !env[name]) continue;
    const plain = byName.has(name) ? name : withoutFileSuffix(name);
    const setting = byName.get(plain);
    if (setting === undefined) {
      if (elsewhere.some((section) => name === section || name.startsWith(`${section}_`))) continue;
      problems.push(`${name}: no such setting${didYouMean(name, byName.keys())}`);
      continue;
    }
    const content = readVariable(name, plain, env, readFile);
    if (content.ok) entries.push({ setting, text: content.text, origin: name });
    else problems.push(`${name}: ${content.problem}`);
  }
  return { entries, problems };
}

function withoutFileSuffix(name: string): string {
  return name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : name;
}

function readVariable(name: string, plain: string, env: Environment, readFile: ReadFile) {
  const text = env[name] ?? '';
  if (name === plain) return { ok: true, text } as const;
  if (env[plain]) return { ok: false, problem: `${plain} is set too; use one of them` } as const;
  const content = readOrExplain(text, readFile);
  return content.ok ? ({ ok: true, text: content.text.replace(/\r?\n$/, '') } as const) : content;
}
