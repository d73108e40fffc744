import type { ServiceProcess } from '@listen-gateway/testkit';
import { nowMs, type WorldRecord } from './records.ts';
import type { Service } from './service.ts';

const HEALTH_EVERY_MS = 500;
const HEALTH_LIMIT_MS = 5_000;
const LOG_EVERY_MS = 100;

/** Asks services how they are, and reads in their logs what hosts cannot see. */
export class Watch {
  readonly #record: (record: WorldRecord) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #tails: LogTail[] = [];
  readonly #asking = new Set<Service>();

  constructor(services: readonly Service[], record: (record: WorldRecord) => void) {
    this.#record = record;
    this.#tails = services.map((service) => new LogTail(service, record));
    const ask = () => {
      for (const service of services) void this.#askHealth(service);
    };
    this.#timers.push(
      setInterval(ask, HEALTH_EVERY_MS),
      setInterval(() => this.#readLogs(), LOG_EVERY_MS),
    );
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#readLogs();
  }

  #readLogs(): void {
    for (const tail of this.#tails) tail.read();
  }

  async #askHealth(service: Service): Promise<void> {
    if (this.#asking.has(service)) return;
    this.#asking.add(service);
    const askedAt = nowMs();
    const [live, ready] = await Promise.all([statusOf(service, '/livez'), statusOf(service, '/readyz')]);
    this.#asking.delete(service);
    this.#record({ type: 'health', at: nowMs(), service: service.name, askedAt, live, ready });
  }
}

/** 0 where nobody answers. */
async function statusOf(service: Service, path: string): Promise<number> {
  try {
    const response = await fetch(`${service.adminUrl}${path}`, { signal: AbortSignal.timeout(HEALTH_LIMIT_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** What a service has logged since it was last read, over all its processes. */
class LogTail {
  readonly #service: Service;
  readonly #record: (record: WorldRecord) => void;
  #process: ServiceProcess;
  #readUpTo = 0;

  constructor(service: Service, record: (record: WorldRecord) => void) {
    this.#service = service;
    this.#record = record;
    this.#process = service.process;
  }

  read(): void {
    this.#readOutput();
    if (this.#process === this.#service.process) return;
    this.#process = this.#service.process;
    this.#readUpTo = 0;
    this.#readOutput();
  }

  #readOutput(): void {
    const { output } = this.#process;
    const end = output.lastIndexOf('\n') + 1;
    if (end <= this.#readUpTo) return;
    const lines = output.slice(this.#readUpTo, end).split('\n');
    this.#readUpTo = end;
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    const { name: instance } = this.#service;
    if (line.includes('"stream closed"')) {
      const { reason } = JSON.parse(line) as { readonly reason: string };
      this.#record({ type: 'closed', at: nowMs(), instance, reason });
    } else if (line.includes('"journal does not reach back to the last change seen"')) {
      const { serverId } = JSON.parse(line) as { readonly serverId: string };
      this.#record({ type: 'gap', at: nowMs(), instance, server: serverId });
    } else if (line.includes('"caught up from the journal"')) {
      const { serverId, missed } = JSON.parse(line) as { readonly serverId: string; readonly missed: number };
      this.#record({ type: 'caught-up', at: nowMs(), instance, server: serverId, missed });
    }
  }
}
