import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { orClose } from './open-all.ts';
import type { RedisCertificates } from './redis-certificates.ts';
import { type RedisReply, redisCli } from './redis-cli.ts';
import { ensureRedis, type RedisProgram } from './redis-program.ts';
import { eventually, within } from './within.ts';

/** A Redis that tests may share: they use server ids of their own and leave everything else alone. */
export interface Redis {
  readonly url: string;
  cli(...args: (string | Buffer)[]): Promise<RedisReply>;
  close(): Promise<void>;
}

/** `REDIS_URL` if it is set and no other program is asked for, else a process of its own. */
export async function openRedis(program: RedisProgram = 'redis'): Promise<Redis> {
  const url = program === 'redis' ? process.env.REDIS_URL : undefined;
  if (!url) return openRedisProcess({ program });
  return { url, cli: (...args) => redisCli(url, args), close: async () => {} };
}

export interface RedisProcessOptions {
  /** `redis` unless told otherwise. */
  readonly program?: RedisProgram;
  readonly args?: readonly string[];
  /** Opens a second port that speaks TLS, see `tlsUrl`; the plain one stays for the test itself. */
  readonly tls?: RedisCertificates;
  /** Added to the environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A redis-server of this test alone on a free loopback port, for tests that stop, freeze, empty or configure it. */
export async function openRedisProcess(options: RedisProcessOptions = {}): Promise<RedisProcess> {
  const program = await ensureRedis(options.program ?? 'redis');
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-redis-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'];
  if (options.tls) args.push('--tls-port', String(tlsPort), ...options.tls.serverArguments);
  const setting = { program, dir, port, tlsPort, args: [...args, ...(options.args ?? [])] };
  const redis = new RedisProcess(options.env === undefined ? setting : { ...setting, env: options.env });
  await orClose([redis], () => redis.start());
  return redis;
}

export interface RedisSetting {
  readonly program: string;
  readonly dir: string;
  readonly port: number;
  readonly tlsPort?: number;
  /** All arguments of the program; those that end in a port are in here too. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that answers Redis commands: a redis-server, alone or in a cluster, or a sentinel. */
export class RedisProcess implements Redis {
  readonly port: number;
  readonly tlsPort: number | undefined;
  readonly url: string;
  /** Where it speaks TLS, if it does. */
  readonly tlsUrl: string;
  readonly #setting: RedisSetting;
  #child: ChildProcess | undefined;

  constructor(setting: RedisSetting) {
    this.#setting = setting;
    this.port = setting.port;
    this.tlsPort = setting.tlsPort;
    this.url = `redis://127.0.0.1:${setting.port}`;
    this.tlsUrl = `rediss://127.0.0.1:${setting.tlsPort}`;
  }

  /** `host:port`, as settings name a node. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get tlsAddress(): string {
    return `127.0.0.1:${this.tlsPort}`;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts it on the same port, with the data that `stop` saved; resolves once it answers. */
  async start(): Promise<void> {
    const { program, port, args, env } = this.#setting;
    const child = spawn(program, [...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-2_000);
    });
    this.#child = child;
    process.once('exit', this.#killNow);
    await eventually(10_000, `redis-server on port ${port}`, async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}:\n${output}`);
      return this.#answers(child.pid).catch(() => false);
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

  /** Whether it is this process that answers, and no other that has taken its port. */
  async #answers(pid: number | undefined): Promise<boolean> {
    const isLoaded = (await this.cli('PING')) === 'PONG';
    return isLoaded && String(await this.cli('INFO', 'server')).includes(`process_id:${pid}\r\n`);
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
