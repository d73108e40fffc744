import type { ServiceProcess } from '@listen-gateway/testkit';
import { HealthWatch } from './health-watch.ts';
import { recordOfLogLine } from './log-line.ts';
import { nowMs, type WorldRecord } from './records.ts';
import type { Service } from './service.ts';

const LOG_EVERY_MS = 100;

/** Asks services how they are, and reads in their logs what hosts cannot see. */
export class Watch {
  readonly #health: HealthWatch;
  readonly #timer: NodeJS.Timeout;
  readonly #tails: readonly LogTail[];

  constructor(services: readonly Service[], record: (record: WorldRecord) => void) {
    this.#health = new HealthWatch(services, record);
    this.#tails = services.map((service) => new LogTail(service, record));
    this.#timer = setInterval(() => this.#readLogs(), LOG_EVERY_MS);
  }

  close(): void {
    this.#health.close();
    clearInterval(this.#timer);
    this.#readLogs();
  }

  #readLogs(): void {
    for (const tail of this.#tails) tail.read();
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
    for (const line of lines) {
      const record = recordOfLogLine(line, this.#service.name, nowMs());
      if (record !== undefined) this.#record(record);
    }
  }
}
