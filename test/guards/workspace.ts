import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** What a tool said, and whether it was content. */
export interface Verdict {
  readonly exitCode: number;
  readonly stdout: string;
  /** Both channels as one line: turbo breaks its sentences at the width of a terminal. */
  readonly sentences: string;
}

/** A copy of the repository's rules over almost no code, in which a guard can be provoked without touching the working tree. */
export interface Workspace {
  write(path: string, text: string): void;
  /** Adds an entry to `dependencies` of the workspace in that folder. */
  depend(folder: string, on: string): void;
  run(tool: 'biome' | 'knip' | 'tsc' | 'turbo', ...args: string[]): Promise<Verdict>;
  close(): void;
}

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** The folders of the repository's workspaces, as `package.json` names them. */
export const FOLDERS: readonly string[] = globSync(['packages/*', 'services/*', 'test'], { cwd: ROOT })
  .filter((folder) => globSync(`${folder}/package.json`, { cwd: ROOT }).length === 1)
  .sort();

const RULES = ['package.json', 'package-lock.json', 'biome.json', 'knip.json', 'turbo.json', '.gitignore'];

/** Opens a conforming workspace: the real rules and manifests, and one exported constant in each package. */
export function openWorkspace(): Workspace {
  const root = mkdtempSync(join(tmpdir(), 'listen-gateway-guards-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const rules of [...RULES, ...globSync('tsconfig*.json', { cwd: ROOT })])
    cpSync(join(ROOT, rules), join(root, rules));
  for (const folder of FOLDERS) copyManifests(folder, root, write);
  linkModules(root);
  return {
    write,
    depend: (folder, on) => {
      const manifest = readManifest(join(root, folder));
      write(
        `${folder}/package.json`,
        JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, [on]: '0.1.0' } }),
      );
    },
    run: (tool, ...args) => run(root, tool, args),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The manifest of the workspace in that folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function copyManifests(folder: string, root: string, write: Workspace['write']): void {
  for (const file of globSync(`${folder}/{package,tsconfig,turbo}.json`, { cwd: ROOT })) {
    mkdirSync(join(root, folder), { recursive: true });
    cpSync(join(ROOT, file), join(root, file));
  }
  if (folder !== 'test') write(`${folder}/src/index.ts`, `export const folder = '${folder}';\n`);
  if (folder.startsWith('services/'))
    write(`${folder}/src/main.ts`, `import { folder } from './index.ts';\n\nvoid folder;\n`);
}

/** Third-party modules are the real ones; the workspaces' own names must lead into the copy. */
function linkModules(root: string): void {
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, '@listen-gateway'), { recursive: true });
  for (const entry of readdirSync(join(ROOT, 'node_modules'))) {
    if (entry !== '@listen-gateway' && entry !== '.cache')
      symlinkSync(join(ROOT, 'node_modules', entry), join(modules, entry));
  }
  for (const folder of FOLDERS) symlinkSync(join(root, folder), join(modules, readManifest(join(ROOT, folder)).name));
}

/** Runs a tool of the repository in a folder. */
export function run(cwd: string, tool: string, args: readonly string[]): Promise<Verdict> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', TURBO_TELEMETRY_DISABLED: '1' };
  return new Promise((settle) => {
    execFile(
      join(ROOT, 'node_modules/.bin', tool),
      args,
      { cwd, env, maxBuffer: 2 ** 26 },
      (failure, stdout, stderr) => {
        const exitCode = failure === null ? 0 : Number(failure.code ?? 1);
        settle({ exitCode, stdout, sentences: `${stdout}${stderr}`.replace(/\s*\n[\s|]*/g, ' ') });
      },
    );
  });
}
