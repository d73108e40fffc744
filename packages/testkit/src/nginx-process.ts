import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from './ensure-program.ts';
import { freePort } from './free-port.ts';
import { type FrontProcess, frontFolder, startFront } from './front-process.ts';
import { eventually, within } from './within.ts';

/** A real nginx on a free loopback port. */
export interface NginxProcess {
  readonly url: string;
  /** The access log so far: one line for each finished request. */
  readonly output: string;
  close(): Promise<void>;
}

// A file, because nginx cannot open /dev/stdout where that is the socket that Node gives a child for a pipe.
const ACCESS_LOG = 'access.log';

/**
 * Starts nginx with the `http` block that `httpBlock` returns for its port; its temporary folders and pid stand in a
 * folder of the test's own.
 */
export async function openNginx(httpBlock: (port: number) => string): Promise<NginxProcess> {
  const program = await ensureProgram('nginx', { apt: 'nginx-light' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-nginx-'));
  const port = await freePort();
  const config = join(dir, 'nginx.conf');
  await writeFile(config, nginxConf(dir, httpBlock(port)));
  const child = spawn(program, ['-c', config, '-p', dir], { stdio: ['ignore', 'ignore', 'pipe'] });
  const killNow = () => child.kill('SIGKILL');
  process.once('exit', killNow);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(10_000, `nginx on port ${port}`, () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}:\n${errors}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    get output() {
      return readFileSync(join(dir, ACCESS_LOG), 'utf8');
    },
    close: async () => {
      await end(child);
      process.off('exit', killNow);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a real nginx on a main file of one's own, which `config` makes for the folder that nginx may write to and that is
 * removed with it; it listens on `port` of 127.0.0.1. `files` are put into that folder before.
 */
export async function openNginxFront(
  port: number,
  config: (dir: string) => string,
  files: Readonly<Record<string, string>>,
): Promise<FrontProcess> {
  const program = await ensureProgram('nginx', { apt: 'nginx-light' });
  const dir = await frontFolder('nginx');
  const file = join(dir, 'nginx.conf');
  await writeFile(file, config(dir));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  // What the main file leaves to the program: to stay in the foreground, and root's workers to be root's, as the folder is.
  const directives = `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''}`;
  return startFront({
    program,
    args: ['-c', file, '-p', dir, '-g', directives],
    dir,
    port,
    // SIGHUP is what `nginx -s reload` sends: old workers take nothing new and end with their last stream.
    reload: (front) => front.renewWorkers('SIGHUP'),
  });
}

function nginxConf(dir: string, httpBlock: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${dir}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log ${dir}/${ACCESS_LOG};
  ${folders.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')}
  ${httpBlock}
}
`;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // A fast shutdown: the master ends its workers and their open streams.
  child.kill('SIGTERM');
  await within(10_000, 'the end of nginx', once(child, 'exit'));
}
