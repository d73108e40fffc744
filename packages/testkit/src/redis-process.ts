import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from './ensure-program.ts';
import { freePort } from './free-port.ts';
import { type RedisReply, redisCli } from './redis-cli.ts';
import { eventually, within } from './within.ts';

/** A Redis that tests may share: they use server ids of their own and leave everything else alone. */
export interface Redis {
  readonly url: string;
  cli(...args: (string | Buffer)[]): Promise<RedisReply>;
  close(): Promise<void>;
}

/** `REDIS_URL` if it is set, else a process of its own. */
export async function openRedis(): Promise<Redis> {
  const url = process.env.REDIS_URL;
  if (!url) return openRedisProcess();
  return { url, cli: (...args) => redisCli(url, args), close: async () => {} };
}

/** A redis-server of this test alone on a free loopback port, for tests that stop, freeze, empty or configure it. */
export async function openRedisProcess(options: { readonly args?: readonly string[] } = {}): Promise<RedisProcess> {
  const program = await ensureProgram('redis-server', { apt: 'redis-server' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-redis-'));
  const redis = new RedisProcess({ program, dir, port: await freePort(), args: options.args ?? [] });
  await redis.start();
  return redis;
}

interface Setting {
  readonly program: string;
  readonly dir: string;
  readonly port: number;
  readonly args: readonly string[];
}

export class RedisProcess implements Redis {
  readonly url: string;
  readonly #setting: Setting;
  #child: ChildProcess | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.url = `redis://127.0.0.1:${setting.port}`;
  }

  /** Starts it on the same port, with the data that `stop` saved; resolves once it answers. */
  async start(): Promise<void> {
    const { program, dir, port, args } = this.#setting;
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'];
    const child = spawn(program, [...fixed, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-2_000);
    });
    this.#child = child;
    process.once('exit', this.#killNow);
    await eventually(10_000, `redis-server on port ${port}`, async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}:\n${output}`);
      return this.cli('PING').then(
        (reply) => reply === 'PONG',
        () => false,
      );
    });
  }

  /** Stops it in good order and keeps its data for the next `start`. */
  async stop(): Promise<void> {
    const child = this.#child;
    // The reply to a shutdown is a closed connection.
    await this.cli('SHUTDOWN', 'SAVE').catch(() => {});
    await this.#ended(child);
  }

  /** Ends it without warning; what was not saved is lost. */
  async kill(): Promise<void> {
    const child = this.#child;
    child?.kill('SIGKILL');
    await this.#ended(child);
  }

  async restart(options: { readonly keepData: boolean }): Promise<void> {
    await (options.keepData ? this.stop() : this.kill());
    if (!options.keepData) await rm(join(this.#setting.dir, 'dump.rdb'), { force: true });
    await this.start();
  }

  /** Freezes it: connections stay open and nothing answers. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  cli(...args: (string | Buffer)[]): Promise<RedisReply> {
    return redisCli(this.url, args);
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#setting.dir, { recursive: true, force: true });
  }

  readonly #killNow = () => this.#child?.kill('SIGKILL');

  async #ended(child: ChildProcess | undefined): Promise<void> {
    if (child && child.exitCode === null && child.signalCode === null) {
      await within(10_000, 'the end of redis-server', once(child, 'exit'));
    }
    process.off('exit', this.#killNow);
    this.#child = undefined;
  }
}
