import { connectionOptions } from './connection-options.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { Deadline } from './deadline.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import type { Topology, TopologyWatcher } from './topology.ts';

/** One master in charge of everything: a Redis alone, or the one that sentinels name. */
export class SingleMaster implements Topology {
  readonly #node: RedisNode;

  constructor(settings: RedisSettings, watcher: TopologyWatcher) {
    const options = connectionOptions(settings);
    const place = { address: undefined, options, owns: () => true, misrouted: () => {} };
    this.#node = new RedisNode(place, settings, new ConnectionTally(settings.observer), watcher);
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
    return this.#node.close();
  }
}
