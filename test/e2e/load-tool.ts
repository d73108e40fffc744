import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '@listen-gateway/testkit';

const MAIN = join(import.meta.dirname, '../bench/load/main.ts');

/** Runs `npm run bench:load` as npm does, behind a line for the shell; resolves with all that it printed. */
export async function runLoadTool(flags: readonly string[], shell = '') {
  const args = [process.execPath, '--conditions=listen-gateway', MAIN, ...flags];
  const child = spawn('sh', ['-c', `${shell} exec "$@"`, 'sh', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const channel of [child.stdout, child.stderr]) {
    channel.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [exitCode] = (await within(90_000, 'the end of the load test', once(child, 'close'))) as [number];
  return { exitCode, output };
}
