import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
const REPORT_MS = 10_000;

export interface DockerRun {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It is ended after that. */
  readonly limitMs: number;
}

/**
 * Runs `docker` in the repository and resolves with what it printed on standard output. Says on the screen what it is
 * at while that takes long, because an image that is built for the first time takes minutes.
 */
export async function runDocker({ args, env = {}, limitMs }: DockerRun): Promise<string> {
  const line = `docker ${args.join(' ')}`;
  const startedAt = Date.now();
  const child = spawn('docker', args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(limitMs),
  });
  let output = '';
  let all = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
    all += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    all += String(chunk);
  });
  const report = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    console.log(`${line}\n  … ${seconds} s of at most ${limitMs / 1_000} s: ${all.trimEnd().split('\n').at(-1)}`);
  }, REPORT_MS);
  try {
    await new Promise<void>((done, fail) => {
      const failed = (why: unknown) => fail(new Error(`${line}: ${why}\n${all.slice(-4_000)}`));
      child.once('error', (cause) => failed(cause.name === 'AbortError' ? `not done in ${limitMs} ms` : cause.message));
      child.once('close', (code, signal) => (code === 0 ? done() : failed(`ended with ${code ?? signal}`)));
    });
  } finally {
    clearInterval(report);
  }
  return output;
}
