import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram, eventually } from '@listen-gateway/testkit';
import { readShipped } from '../deploy/repository.ts';
import type { ComposeFleet } from './compose-fleet.ts';

/** A line that runs on, and what it has printed. */
export interface RunningLine {
  prints(what: RegExp): Promise<void>;
}

/** The two `curl` lines of the README, run by a shell as they stand there; only where they connect is another port. */
export class CurlLines {
  readonly #lines: readonly string[];
  readonly #home: string;
  readonly #running: ChildProcess[] = [];

  private constructor(lines: readonly string[], home: string) {
    this.#lines = lines;
    this.#home = home;
  }

  static async open(fleet: ComposeFleet): Promise<CurlLines> {
    await ensureProgram('curl', { apt: 'curl' });
    const text = readShipped('README.md').replaceAll('\\\n', '');
    const lines = text.split('\n').filter((line) => line.startsWith('curl '));
    if (lines.length !== 2)
      throw new Error(`the README should have two lines that begin with curl, not ${lines.length}`);
    // Where curl reads what is not on its line.
    const home = await mkdtemp(join(tmpdir(), 'listen-gateway-curl-'));
    const redirected = [
      ['127.0.0.1:8080', fleet.port('GATEWAY_PORT')],
      ['127.0.0.1:8081', fleet.port('PUBLISHER_PORT')],
    ].map(([shipped, port]) => `connect-to = "${shipped}:127.0.0.1:${port}"\n`);
    await writeFile(join(home, '.curlrc'), redirected.join(''));
    return new CurlLines(lines, home);
  }

  /** Runs one that does not end by itself. */
  start(index: 0 | 1): RunningLine {
    // `exec`, so that it is curl that is ended.
    const child = spawn('sh', ['-c', `exec ${this.#lines[index]}`], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#running.push(child);
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
    });
    return { prints: (what) => eventually(10_000, `${what} of curl`, () => what.test(printed)) };
  }

  /** Runs one, and resolves with what it printed. */
  async run(index: 0 | 1): Promise<string> {
    const { stdout } = await promisify(execFile)('sh', ['-c', this.#lines[index] ?? ''], {
      env: this.#env,
      timeout: 10_000,
    });
    return stdout;
  }

  async close(): Promise<void> {
    for (const child of this.#running) {
      if (child.exitCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await rm(this.#home, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, CURL_HOME: this.#home };
  }
}
