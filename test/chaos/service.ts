import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort, ServiceProcess } from '@listen-gateway/testkit';
import type { Endpoint } from './listening.ts';
import { nowMs, type WorldRecord } from './records.ts';

export interface ServiceSetting {
  readonly name: string;
  readonly service: 'gateway' | 'publisher';
  /** In place of the service's own main module: a mutant. */
  readonly main?: string;
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** A busy machine starts many processes at once. */
const START_LIMIT_MS = 60_000;

/** Longer than a drain may take in a campaign. */
const EXIT_LIMIT_MS = 20_000;

/** A service that faults stop and start again on the same ports; records what is done to it, and each end of it. */
export class Service implements Endpoint {
  readonly name: string;
  readonly port: number;
  readonly #adminPort: number;
  readonly #setting: ServiceSetting;
  readonly #record: (record: WorldRecord) => void;
  #process: ServiceProcess | undefined;
  #wanted = false;

  private constructor(
    setting: ServiceSetting,
    ports: { readonly port: number; readonly adminPort: number },
    record: (record: WorldRecord) => void,
  ) {
    this.name = setting.name;
    this.port = ports.port;
    this.#adminPort = ports.adminPort;
    this.#setting = setting;
    this.#record = record;
  }

  /** On free ports, and not started yet. */
  static async create(setting: ServiceSetting, record: (record: WorldRecord) => void): Promise<Service> {
    return new Service(setting, { port: await freePort(), adminPort: await freePort() }, record);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.#adminPort}`;
  }

  /** The process of now. */
  get process(): ServiceProcess {
    if (this.#process === undefined) throw new Error(`${this.name} was not started`);
    return this.#process;
  }

  /** Whether nothing was done to it that keeps it from answering. */
  get isWanted(): boolean {
    return this.#wanted;
  }

  /** Starts it, and resolves once it is ready. */
  async start(): Promise<void> {
    const { service, main = join(ROOT, 'services', service, 'src', 'main.ts'), env } = this.#setting;
    const child = spawn(process.execPath, ['--conditions=listen-gateway', '--max-semi-space-size=4', main], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        LG_LISTEN__PORT: String(this.port),
        LG_PUBLISHER__PORT: String(this.port),
        LG_ADMIN__PORT: String(this.#adminPort),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new ServiceProcess(service, child, { port: this.port, adminPort: this.#adminPort });
    this.#process = running;
    this.#wanted = true;
    child.once('exit', (code, signal) => {
      const how = code ?? signal ?? 0;
      this.#record({ type: 'exited', at: nowMs(), service: this.name, how, wanted: !this.#wanted });
    });
    try {
      await running.ready(START_LIMIT_MS);
    } catch (cause) {
      throw new Error(`${this.name} did not become ready:\n${running.output.slice(-4_000)}`, { cause });
    }
    this.#record({ type: 'running', at: nowMs(), service: this.name });
  }

  async kill(): Promise<void> {
    this.#stopped('killed');
    await this.process.kill();
  }

  /** Resolves with its exit code, or what ended it, once it has ended by itself. */
  async terminate(): Promise<number | NodeJS.Signals> {
    this.#stopped('terminated');
    this.process.signal('SIGTERM');
    return this.process.ended(EXIT_LIMIT_MS);
  }

  freeze(): void {
    this.#stopped('frozen');
    this.process.signal('SIGSTOP');
  }

  thaw(): void {
    this.process.signal('SIGCONT');
    this.#wanted = true;
    this.#record({ type: 'running', at: nowMs(), service: this.name });
  }

  /** Ends it at the end of the campaign. */
  async close(): Promise<void> {
    this.#wanted = false;
    await this.#process?.kill();
  }

  #stopped(how: 'killed' | 'terminated' | 'frozen'): void {
    this.#wanted = false;
    this.#record({ type: 'stopped', at: nowMs(), service: this.name, how });
  }
}
