import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram } from './ensure-program.ts';
import { freePort } from './free-port.ts';
import { type FrontProcess, frontFolder, startFront } from './front-process.ts';

const run = promisify(execFile);

/** Starts a real Caddy on a Caddyfile that listens on `port` of 127.0.0.1; its certificates and state stay in a folder of its own. */
export async function openCaddy(port: number, caddyfile: string): Promise<FrontProcess> {
  const program = await ensureProgram('caddy', { apt: 'caddy' });
  const dir = await frontFolder('caddy');
  const file = join(dir, 'Caddyfile');
  const admin = `127.0.0.1:${await freePort()}`;
  await writeFile(file, `{\n\tadmin ${admin}\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n\n${caddyfile}`);
  const config = ['--adapter', 'caddyfile', '--config', file];
  const env = { HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  return startFront({
    program,
    args: ['run', ...config],
    dir,
    port,
    env,
    // Forced, because Caddy does nothing where the file says what it said before.
    reload: async () => {
      const reload = ['reload', '--force', '--address', admin, ...config];
      await run(program, reload, { env: { ...process.env, ...env }, timeout: 20_000 });
    },
  });
}
