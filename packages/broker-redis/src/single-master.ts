import { connectionOptions } from './connection-options.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { Deadline } from './deadline.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import { SentinelWatch } from './sentinel-watch.ts';
import type { Topology, TopologyWatcher } from './topology.ts';

/** One master in charge of everything: a Redis alone, or the one that sentinels name. */
export class SingleMaster implements Topology {
  readonly #node: RedisNode;
  readonly #sentinels: SentinelWatch | undefined;
  /** The last change of master that a sentinel told of, and the data that the former one had. */
  #switched: { readonly to: string; readonly from: string; readonly at: number } | undefined;

  constructor(settings: RedisSettings, watcher: TopologyWatcher) {
    const options = connectionOptions(settings);
    const isFormer = (history: string) => this.#isFormer(history);
    const place = { address: undefined, options, owns: () => true, misrouted: () => {}, isFormer };
    this.#node = new RedisNode(place, settings, new ConnectionTally(settings.observer), watcher);
    if (settings.mode === 'sentinel') this.#sentinels = new SentinelWatch(settings, (to) => this.#switch(to));
  }

  nodeOf(): RedisNode {
    return this.#node;
  }

  run<T>(_key: string, _deadline: Deadline, command: (node: RedisNode) => Promise<T>): Promise<T> {
    return command(this.#node);
  }

  misrouted(): void {}

  get trouble(): string | undefined {
    return this.#node.trouble;
  }

  close(): Promise<void> {
    this.#sentinels?.close();
    return this.#node.close();
  }

  /** Each sentinel tells of it; what has found the new master by then stays. */
  #switch(to: string): void {
    const { lastHistory: from } = this.#node;
    if (this.#switched?.to === to && this.#switched.from !== from) return;
    this.#switched = { to, from, at: performance.now() };
    this.#node.replace(new Error('the sentinels have named another master'));
  }

  /** The sentinels that have not heard of a change yet still name the former master, which takes itself for one too. */
  #isFormer(history: string): boolean {
    if (this.#switched === undefined || history === '' || history !== this.#switched.from) return false;
    return performance.now() - this.#switched.at < SENTINELS_DISAGREE_MS;
  }
}

/** Sentinels tell each other every 2 s. */
const SENTINELS_DISAGREE_MS = 3_000;
