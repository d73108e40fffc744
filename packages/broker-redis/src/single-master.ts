import { type Address, connectionOptions } from './connection-options.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { Deadline } from './deadline.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import { type MasterSwitch, SentinelWatch } from './sentinel-watch.ts';
import type { Topology, TopologyWatcher } from './topology.ts';

/** One master in charge of everything: a Redis alone, or the one that sentinels name. */
export class SingleMaster implements Topology {
  readonly #node: RedisNode;
  readonly #sentinels: SentinelWatch | undefined;
  /** The last change of master that a sentinel told of. */
  #switched: (MasterSwitch & { readonly at: number }) | undefined;

  constructor(settings: RedisSettings, watcher: TopologyWatcher) {
    const options = connectionOptions(settings);
    const redirect = (named: string) => this.#redirect(named);
    const place = { address: undefined, options, owns: () => true, misrouted: () => {}, redirect };
    this.#node = new RedisNode(place, settings, new ConnectionTally(settings.observer), watcher);
    if (settings.mode === 'sentinel') this.#sentinels = new SentinelWatch(settings, (change) => this.#switch(change));
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
  #switch(change: MasterSwitch): void {
    this.#switched = { ...change, at: performance.now() };
    const { host, port } = change.to;
    this.#node.moveTo(`${host}:${port}`, new Error('the sentinels have named another master'));
  }

  /** A sentinel that has not heard of the change yet still names the former master, which takes itself for one too. */
  #redirect(named: string): Address | undefined {
    if (named !== this.#switched?.from || performance.now() - this.#switched.at > FORMER_MS) return undefined;
    return this.#switched.to;
  }
}

/**
 * Sentinels tell each other every 2 s, and tell a former master that it is one no more within some 10 s. For good it would
 * keep us from a master that got its part back while no sentinel could be heard.
 */
const FORMER_MS = 15_000;
