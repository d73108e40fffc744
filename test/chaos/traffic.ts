import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@listen-gateway/core';
import { Backend, type PublisherEndpoint } from './backend.ts';
import { type Draft, LIST_DRAFTS, taskDraft, taskStatus, updatedDraft } from './drafts.ts';
import { FORBIDDEN_URI, type Population, PROMPTLESS, taskIds, uris } from './population.ts';
import { between, pick, seeded } from './random.ts';
import type { BackendRecord } from './records.ts';

export type BackendsOrder =
  | ({ readonly type: 'start'; readonly recordsPath: string } & TrafficSetting)
  /** Large task states, one after the other, as fast as they are taken; answered with `flooded`. */
  | ({ readonly type: 'flood' } & Flood)
  /** Large batches, without waiting for one another. */
  | { readonly type: 'batches'; readonly count: number; readonly length: number }
  /** Answered with `stopped`, once what was begun is over. */
  | { readonly type: 'stop' };

export interface Flood {
  readonly server: string;
  readonly taskId: string;
  readonly count: number;
  /** Of each state. */
  readonly bytes: number;
}

export type BackendsReport = 'flooded' | 'stopped';

export interface TrafficSetting {
  readonly population: Population;
  readonly publishers: readonly PublisherEndpoint[];
  /** Small publishes each second, beside the tasks. */
  readonly rate: number;
}

/** What backends publish while a campaign lasts. */
export class Traffic {
  readonly #setting: TrafficSetting;
  readonly #random: Random;
  readonly #stop = new AbortController();
  readonly #backend: Backend;
  readonly #loops: Promise<void>[] = [];
  readonly #nextUri = new Map<string, number>();
  #keys = 0;
  #bulkStates = 0;

  constructor(setting: TrafficSetting, record: (record: BackendRecord) => void) {
    this.#setting = setting;
    this.#random = seeded(setting.population.seed + 1);
    this.#backend = new Backend(setting.publishers, record, this.#stop.signal);
  }

  start(): void {
    const { servers } = this.#setting.population;
    this.#loops.push(this.#publishSmall(), this.#publishRefused(), ...servers.map((server) => this.#runTasks(server)));
  }

  async flood({ server, taskId, count, bytes }: Flood): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      const seq = this.#bulkStates++;
      const draft = taskDraft(taskId, seq, 'working', bytes);
      await this.#backend.publishSurely({ server, drafts: [draft], idempotencyKey: this.#key() });
    }
  }

  batches(count: number, length: number): void {
    for (let left = count; left > 0; left -= 1) {
      const server = pick(this.#random, this.#setting.population.servers);
      const drafts = Array.from({ length }, () => this.#nextUriDraft(server));
      this.#loops.push(this.#publish(server, drafts, this.#random() < 0.5));
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  async #publishSmall(): Promise<void> {
    const open = new Set<Promise<void>>();
    while (!this.#stop.signal.aborted) {
      const server = pick(this.#random, this.#setting.population.servers);
      const drafts = Array.from({ length: between(this.#random, 1, 4) }, () => this.#smallDraft(server));
      const publish = this.#publish(server, drafts, this.#random() < 0.5).then(() => void open.delete(publish));
      open.add(publish);
      await this.#pause((this.#random() * 2_000) / this.#setting.rate);
    }
    await Promise.all(open);
  }

  /** A backend that has no key does not know whether to try again, and does not. */
  async #publish(server: string, drafts: readonly Draft[], keyed: boolean): Promise<void> {
    if (keyed) await this.#backend.publishSurely({ server, drafts, idempotencyKey: this.#key() });
    else await this.#backend.publish({ server, drafts });
  }

  /** One task after the other, each state only once the one before it was accepted. */
  async #runTasks(server: string): Promise<void> {
    for (const taskId of taskIds(this.#setting.population)) {
      const states = between(this.#random, 2, 5);
      for (let seq = 0; seq <= states; seq += 1) {
        if (this.#stop.signal.aborted) return;
        const drafts = [taskDraft(taskId, seq, taskStatus(this.#random, seq === states))];
        const answer = await this.#backend.publishSurely({ server, drafts, idempotencyKey: this.#key() });
        if (answer !== 'accepted') return;
        await this.#pause(between(this.#random, 50, 700));
      }
    }
  }

  /** Requests of which nothing may be published. */
  async #publishRefused(): Promise<void> {
    const forbidden = updatedDraft(FORBIDDEN_URI);
    while (!this.#stop.signal.aborted) {
      const server = pick(this.#random, this.#setting.population.servers);
      const invalid = { changes: [forbidden.body, { method: 'notifications/unheard-of' }] };
      await this.#backend.publish({ server, drafts: [forbidden], body: invalid });
      await this.#backend.publish({ server: PROMPTLESS, drafts: [forbidden, LIST_DRAFTS.prompts] });
      const idempotencyKey = this.#key();
      await this.#backend.publish({ server, drafts: [this.#nextUriDraft(server)], idempotencyKey });
      // Accepted only if Redis never had the key, or lost it; then it counts as any publish.
      await this.#backend.publish({ server, drafts: [forbidden], idempotencyKey });
      await this.#pause(1_500);
    }
  }

  #smallDraft(server: string): Draft {
    if (this.#random() < 0.7) return this.#nextUriDraft(server);
    const { tools, prompts, resources } = LIST_DRAFTS;
    return pick(this.#random, server === PROMPTLESS ? [tools, resources] : [tools, prompts, resources]);
  }

  #nextUriDraft(server: string): Draft {
    const all = uris(this.#setting.population);
    const next = this.#nextUri.get(server) ?? 0;
    this.#nextUri.set(server, (next + 1) % all.length);
    return updatedDraft(all[next]!);
  }

  #key(): string {
    this.#keys += 1;
    return `chaos-${this.#setting.population.seed}-${this.#keys}`;
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}
