import type { Random } from '@listen-gateway/core';
import type { Filter } from '@listen-gateway/protocol';
import { type Endpoint, ListeningHost, type Outcome } from './listening.ts';
import { type Population, someFilter } from './population.ts';
import { between, pick, sample, seeded } from './random.ts';
import type { HostRecord } from './records.ts';

export type HostsOrder =
  | ({ readonly type: 'start'; readonly recordsPath: string } & CrowdSetting)
  /** A share of the streams reads nothing for a while. */
  | { readonly type: 'stall'; readonly share: number; readonly forMs: number }
  /** A share of the hosts is reset and listens again, all at once. */
  | { readonly type: 'reconnect'; readonly share: number }
  /** So many more hosts at once, for a while. */
  | { readonly type: 'surge'; readonly count: number; readonly forMs: number }
  /** Answered with `HostsCount`. */
  | { readonly type: 'count' }
  | { readonly type: 'stop' };

export interface HostsCount {
  readonly streaming: number;
}

export interface CrowdSetting {
  readonly population: Population;
  readonly endpoints: readonly Endpoint[];
  readonly hosts: number;
}

interface Host {
  readonly server: string;
  readonly requested: Filter;
  readonly id: string | number;
  listening: ListeningHost | undefined;
  again: NodeJS.Timeout | undefined;
  failures: number;
  temporary: boolean;
}

const MEAN_STAY_MS = 20_000;

/** Hosts that come back after every end, as hosts do: they wait as long as they are told, else longer each time. */
export class Crowd {
  readonly #setting: CrowdSetting;
  readonly #record: (record: HostRecord) => void;
  readonly #random: Random;
  readonly #hosts = new Set<Host>();
  #streams = 0;
  #churn: NodeJS.Timeout | undefined;

  constructor(setting: CrowdSetting, record: (record: HostRecord) => void) {
    this.#setting = setting;
    this.#record = record;
    this.#random = seeded(setting.population.seed);
  }

  get streaming(): number {
    return [...this.#hosts].filter((host) => host.listening?.isStreaming).length;
  }

  open(): void {
    for (let count = 0; count < this.#setting.hosts; count += 1) this.#add(between(this.#random, 0, 500));
    // People open and close their editors all day, so that new streams keep coming, during faults too.
    const everyMs = MEAN_STAY_MS / this.#setting.hosts;
    this.#churn = setInterval(() => this.#leave(pick(this.#random, [...this.#hosts])), everyMs);
  }

  stall(share: number, forMs: number): void {
    const stalled = this.#some(share).map((host) => host.listening);
    for (const listening of stalled) listening?.stall();
    setTimeout(() => {
      for (const listening of stalled) listening?.resume();
    }, forMs);
  }

  reconnect(share: number): void {
    for (const host of this.#some(share)) {
      host.listening?.leave(true);
      this.#listen(host);
    }
  }

  surge(count: number, forMs: number): void {
    const guests = Array.from({ length: count }, () => this.#add(0, true));
    setTimeout(() => {
      for (const guest of guests) this.#dismiss(guest);
    }, forMs);
  }

  close(): void {
    clearInterval(this.#churn);
    for (const host of [...this.#hosts]) this.#dismiss(host);
  }

  #some(share: number): Host[] {
    const all = [...this.#hosts];
    return sample(this.#random, all, Math.ceil(all.length * share));
  }

  #add(delayMs: number, temporary = false): Host {
    const server = pick(this.#random, this.#setting.population.servers);
    // Many clients share one id, and some count from 0.
    const id = pick<() => string | number>(this.#random, [
      () => 'listen:0',
      () => 0,
      () => between(this.#random, 1, 1_000),
      () => String(between(this.#random, 1, 1_000)),
    ])();
    const requested = someFilter(this.#setting.population, this.#random);
    const host: Host = { server, requested, id, listening: undefined, again: undefined, failures: 0, temporary };
    this.#hosts.add(host);
    this.#listenIn(host, delayMs);
    return host;
  }

  #leave(host: Host): void {
    host.listening?.leave();
    this.#listenIn(host, between(this.#random, 50, 500));
  }

  #dismiss(host: Host): void {
    this.#hosts.delete(host);
    clearTimeout(host.again);
    host.listening?.leave();
  }

  #listenIn(host: Host, delayMs: number): void {
    clearTimeout(host.again);
    host.again = setTimeout(() => this.#listen(host), delayMs);
  }

  #listen(host: Host): void {
    clearTimeout(host.again);
    const endpoint = pick(this.#random, this.#setting.endpoints);
    const { server, requested, id } = host;
    const listening = new ListeningHost(
      { stream: this.#streams++, endpoint, server, id, requested },
      {
        record: (record) => {
          if (record.type === 'acknowledged') host.failures = 0;
          this.#record(record);
        },
        over: (outcome) => {
          // A host that left by itself has decided already when it comes back.
          if (host.listening !== listening) return;
          host.listening = undefined;
          if (this.#hosts.has(host)) this.#listenIn(host, this.#waitMs(host, outcome));
        },
      },
    );
    host.listening = listening;
  }

  #waitMs(host: Host, outcome: Outcome): number {
    if (outcome.type === 'refused' && outcome.retryAfterS !== undefined) return outcome.retryAfterS * 1_000;
    host.failures += 1;
    return Math.min(4_000, 50 * 2 ** host.failures) * (0.5 + this.#random() / 2);
  }
}
