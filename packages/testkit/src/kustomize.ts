import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from './ensure-program.ts';
import { unpackProgram } from './unpacked-program.ts';

const run = promisify(execFile);

/** What a kustomization renders to, as YAML documents: by kustomize or kubectl on PATH, else by an unpacked kustomize. */
export async function renderKustomization(folder: string): Promise<string> {
  const [program, ...args] = await kustomizeCommand();
  const { stdout, stderr } = await run(program, [...args, folder], { maxBuffer: 2 ** 26, timeout: 60_000 });
  // Deprecated fields and the like: what works today with a warning is gone tomorrow.
  if (stderr !== '') throw new Error(`${program} said of ${folder}: ${stderr}`);
  return stdout;
}

/** The command that renders the folder named behind it. */
export async function kustomizeCommand(): Promise<readonly [string, ...string[]]> {
  const kustomize = findProgram('kustomize');
  if (kustomize) return [kustomize, 'build'];
  const kubectl = findProgram('kubectl');
  if (kubectl && (await isRecent(kubectl))) return [kubectl, 'kustomize'];
  const unpacked = await unpackProgram('kustomize', {
    trixie: 'kustomize',
    elsewhere: 'https://kubectl.docs.kubernetes.io/installation/kustomize/',
  });
  return [unpacked, 'build'];
}

/** Old ones, as Debian 12 has it, bring a kustomize that knows no components. */
async function isRecent(kubectl: string): Promise<boolean> {
  const { stdout } = await run(kubectl, ['version', '--client'], { timeout: 20_000 }).catch(() => ({ stdout: '' }));
  return /Kustomize Version: v([5-9]|\d\d)/.test(stdout);
}
