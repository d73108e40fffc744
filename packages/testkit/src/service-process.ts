import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { eventually, within } from './within.ts';

export type ServiceName = 'gateway' | 'publisher' | 'standalone';

/** Where a service listens, where that is not for the machine to choose: another loopback address, ports of its own. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly adminPort: number;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * Starts a service as its users do, as a process configured by its environment, on free loopback ports; resolves once
 * it is ready. `env` is added to the ports.
 */
export async function startService(
  name: ServiceName,
  env: Readonly<Record<string, string>> = {},
  address?: ServiceAddress,
): Promise<ServiceProcess> {
  const at = address ?? { host: '127.0.0.1', port: await freePort(), adminPort: await freePort() };
  const main = join(ROOT, 'services', name, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=listen-gateway', main], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      // Each service listens where its own section says and passes over the other's.
      LG_LISTEN__HOST: at.host,
      LG_LISTEN__PORT: String(at.port),
      LG_PUBLISHER__HOST: at.host,
      LG_PUBLISHER__PORT: String(at.port),
      LG_ADMIN__HOST: at.host,
      LG_ADMIN__PORT: String(at.adminPort),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service = new ServiceProcess(name, child, at);
  try {
    await service.ready();
  } catch (error) {
    // One that nobody has in hand would keep the test's process from ending.
    await service.kill();
    throw error;
  }
  return service;
}

/** A running service. */
export class ServiceProcess {
  readonly name: ServiceName;
  readonly url: string;
  readonly adminUrl: string;
  readonly port: number;
  /** All that it printed so far. */
  output = '';
  readonly #child: ChildProcess;

  constructor(name: ServiceName, child: ChildProcess, at: Omit<ServiceAddress, 'host'> & { readonly host?: string }) {
    const { host = '127.0.0.1' } = at;
    this.name = name;
    this.port = at.port;
    this.url = `http://${host}:${at.port}`;
    this.adminUrl = `http://${host}:${at.adminPort}`;
    this.#child = child;
    const take = (chunk: unknown) => {
      this.output += String(chunk);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    process.once('exit', this.#killNow);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The lines of its log, parsed. */
  get log(): readonly Record<string, unknown>[] {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Resolves once `/readyz` is green. */
  async ready(limitMs = 60_000): Promise<void> {
    await eventually(limitMs, `${this.name} to be ready`, async () => {
      if (this.#child.exitCode !== null)
        throw new Error(`${this.name} ended with ${this.#child.exitCode}:\n${this.output}`);
      return (await this.readiness()) === 200;
    });
  }

  /** The status of `/readyz`; 0 while nobody answers. */
  async readiness(): Promise<number> {
    return fetch(`${this.adminUrl}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
  }

  /** The value of one series as `/metrics` prints it, labels included: `lg_streams_closed_total{reason="drain"}`. */
  async metric(series: string): Promise<number> {
    const text = await (await fetch(`${this.adminUrl}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves with its exit code, or the signal that ended it. */
  async ended(limitMs = 30_000): Promise<number | NodeJS.Signals> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      await within(limitMs, `the end of ${this.name}`, once(child, 'exit'));
    }
    process.off('exit', this.#killNow);
    return child.exitCode ?? child.signalCode ?? 0;
  }

  /** Ends it at once, however it is. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }

  readonly #killNow = () => this.#child.kill('SIGKILL');
}
