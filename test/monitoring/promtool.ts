import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram } from '@listen-gateway/testkit';
import { REPOSITORY } from '../deploy/repository.ts';

const run = promisify(execFile);

/** Where the configuration of Prometheus, its rules and their tests are. */
export const PROMETHEUS = join(REPOSITORY, 'deploy', 'prometheus');

export interface Verdict {
  readonly code: number;
  readonly said: string;
}

/** What promtool says, with its exit code; file names are beneath `folder`. */
export async function promtool(args: readonly string[], folder = PROMETHEUS): Promise<Verdict> {
  const program = await ensureProgram('promtool', { apt: 'prometheus' });
  return run(program, [...args], { cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
}
