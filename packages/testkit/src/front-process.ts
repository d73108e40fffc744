import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, within } from './within.ts';

/** How a load balancer is started and told to read its configuration again. */
export interface FrontProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** The folder that holds its files; removed with it. */
  readonly dir: string;
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  reload(front: FrontProcess): Promise<void>;
}

/** A folder for the files of a load balancer. */
export function frontFolder(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `listen-gateway-${name}-`));
}

/** Starts a load balancer; resolves once it takes connections. */
export async function startFront(setting: FrontProgram): Promise<FrontProcess> {
  const { program, args, dir, port, env } = setting;
  const child = spawn(program, [...args], {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const front = new FrontProcess(setting, child);
  await eventually(20_000, `${program} on port ${port}`, () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${front.output}`);
    return takesConnections(port);
  });
  return front;
}

/** A running load balancer. */
export class FrontProcess {
  /** All that it printed so far. */
  output = '';
  readonly port: number;
  readonly #setting: FrontProgram;
  readonly #child: ChildProcess;

  constructor(setting: FrontProgram, child: ChildProcess) {
    this.#setting = setting;
    this.#child = child;
    this.port = setting.port;
    const take = (chunk: unknown) => {
      this.output += String(chunk);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    process.once('exit', this.#killNow);
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Reads its configuration again, as an operator has it do; resolves once the new one is in force. */
  reload(): Promise<void> {
    return this.#setting.reload(this);
  }

  /** Signals its master, and resolves once that has a worker that it did not have before. */
  async renewWorkers(signal: NodeJS.Signals): Promise<void> {
    const before = await this.workers();
    this.#child.kill(signal);
    await eventually(10_000, 'a worker with the new configuration', async () =>
      (await this.workers()).some((pid) => !before.includes(pid)),
    );
  }

  /** The processes that the master has started and that are still there. */
  async workers(): Promise<readonly string[]> {
    const { pid } = this.#child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter((worker) => worker !== '');
  }

  /** Ends it at once, with the streams that it carries. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      await within(10_000, `the end of ${this.#setting.program}`, once(this.#child, 'exit')).catch(this.#killNow);
    }
    process.off('exit', this.#killNow);
    await rm(this.#setting.dir, { recursive: true, force: true });
  }

  readonly #killNow = () => this.#child.kill('SIGKILL');
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
