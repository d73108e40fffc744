import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureProgram } from './ensure-program.ts';
import { type FrontProcess, frontFolder, startFront } from './front-process.ts';

/** Starts a real HAProxy, as master with a worker, on a configuration that listens on `port` of 127.0.0.1. */
export async function openHaproxy(port: number, config: string): Promise<FrontProcess> {
  const program = await ensureProgram('haproxy', { apt: 'haproxy' });
  const dir = await frontFolder('haproxy');
  const file = join(dir, 'haproxy.cfg');
  await writeFile(file, config);
  return startFront({
    program,
    args: ['-W', '-f', file],
    dir,
    port,
    // SIGUSR2 is what `haproxy -sf` is without a master: the old worker takes nothing new and ends with its last stream.
    reload: (front) => front.renewWorkers('SIGUSR2'),
  });
}
