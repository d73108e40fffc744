import { setTimeout as pause } from 'node:timers/promises';
import { Backend, type PublisherEndpoint } from './backend.ts';
import { updatedDraft } from './drafts.ts';
import { type Endpoint, ListeningHost } from './listening.ts';
import { BEACON_URIS } from './population.ts';
import { nowMs, type WorldRecord } from './records.ts';

interface Round {
  readonly uri: string;
  readonly since: number;
  /** For each instance, the servers of which it has yet to deliver this round's beacon. */
  readonly missing: ReadonlyMap<string, Set<string>>;
}

export interface BeaconsSetting {
  readonly instances: readonly Endpoint[];
  readonly publishers: readonly PublisherEndpoint[];
  readonly servers: readonly string[];
  record(record: WorldRecord): void;
}

const ROUND_MS = 500;

/**
 * Publishes beacons all the time and hears them on a stream of each server on each instance. Changes arrive in the
 * order of their publishes, so a beacon proves that what was accepted before it was handed to the streams, or lost.
 */
export class Beacons {
  readonly #setting: BeaconsSetting;
  readonly #streams = new Map<string, ListeningHost>();
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[] = [];
  readonly #settledSince = new Map<string, number>();
  readonly #backend: Backend;
  #rounds: Round[] = [];
  #next = 0;

  constructor(setting: BeaconsSetting) {
    this.#setting = setting;
    // Its attempts are no part of what is judged.
    this.#backend = new Backend(setting.publishers, () => {}, this.#stop.signal);
    for (const instance of setting.instances) {
      for (const server of setting.servers) this.#listen(instance, server);
    }
    this.#loops.push(this.#shine());
  }

  /** Since when a service has proven that all came through; a publisher has nothing to prove. */
  settledSince(service: string): number {
    if (!this.#setting.instances.some(({ name }) => name === service)) return Number.POSITIVE_INFINITY;
    return this.#settledSince.get(service) ?? Number.NEGATIVE_INFINITY;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    for (const stream of this.#streams.values()) stream.leave();
  }

  #listen(instance: Endpoint, server: string): void {
    const requested = { resourceSubscriptions: BEACON_URIS };
    const stream = new ListeningHost(
      { stream: -1, endpoint: instance, server, id: 'beacon', requested },
      {
        record: (record) => {
          if (record.type === 'notified') this.#heard(instance.name, server, record.key);
        },
        over: () => void this.#listenAgain(instance, server),
      },
    );
    this.#streams.set(`${instance.name} ${server}`, stream);
  }

  async #listenAgain(instance: Endpoint, server: string): Promise<void> {
    // Sooner than any host would: what is measured is the gateway's recovery.
    await pause(100);
    if (!this.#stop.signal.aborted) this.#listen(instance, server);
  }

  #heard(instance: string, server: string, key: string): void {
    const round = this.#rounds.find(({ uri }) => key === `uri:${uri}`);
    const missing = round?.missing.get(instance);
    if (round === undefined || !missing?.delete(server) || missing.size > 0) return;
    this.#settledSince.set(instance, Math.max(this.settledSince(instance), round.since));
    this.#setting.record({ type: 'settled', at: nowMs(), instance, since: round.since });
  }

  async #shine(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { instances, servers } = this.#setting;
      const uri = BEACON_URIS[this.#next++ % BEACON_URIS.length]!;
      const missing = new Map(instances.map(({ name }) => [name, new Set(servers)]));
      this.#rounds = [...this.#rounds, { uri, since: nowMs(), missing }].slice(-BEACON_URIS.length / 2);
      // One server's publish waits for no other's: a round lasts as long as its slowest.
      await Promise.all([...servers.map((server) => this.#publish(server, uri)), this.#pause(ROUND_MS)]);
    }
  }

  /** Until it is accepted: a beacon is of use later, too. */
  async #publish(server: string, uri: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if ((await this.#backend.publish({ server, drafts: [updatedDraft(uri)] })) === 'accepted') return;
      await this.#pause(200);
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}
