import { Connection, type Redirect } from './connection.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { ConnectionTally } from './connection-tally.ts';
import type { Deadline } from './deadline.ts';
import { Probe, type Probed } from './probe.ts';
import { type PubSub, plainPubSub, shardedPubSub } from './pub-sub.ts';
import type { PublishReply } from './publish-script.ts';
import type { ConnectionRole } from './redis-observer.ts';
import type { RedisSettings } from './redis-options.ts';
import type { TopologyWatcher } from './topology.ts';

export interface RedisNodePlace {
  /** `host:port` of a node of a cluster; undefined for a master that stands alone. */
  readonly address: string | undefined;
  readonly options: ConnectionOptions;
  /** Whether this master is in charge of a channel or key. */
  owns(name: string): boolean;
  misrouted(): void;
  /** With sentinels: tells the address of a master that has been replaced. */
  readonly redirect?: Redirect;
}

/** What the publish script returned, and the history of the data that it was run on. */
export interface Published {
  readonly reply: PublishReply;
  readonly history: string;
}

/** One master, the connections to it, and what watches over them. */
export class RedisNode implements Probed {
  readonly commands: Connection;
  readonly receive: Connection;
  readonly pubSub: PubSub;
  readonly #publishing: Connection;
  readonly #minReplicas: number;
  readonly #place: RedisNodePlace;
  readonly #tally: ConnectionTally;
  readonly #probe: Probe;

  constructor(place: RedisNodePlace, settings: RedisSettings, tally: ConnectionTally, watcher: TopologyWatcher) {
    this.#place = place;
    this.#tally = tally;
    this.#minReplicas = settings.minReplicas;
    const connect = (role: ConnectionRole) => {
      const options = { ...place.options, connectionName: `${settings.name}:${role}` };
      const connection = new Connection(role, options, place.redirect);
      tally.add(connection, place.address);
      return connection;
    };
    this.commands = connect('commands');
    this.receive = connect('receive');
    this.#publishing = settings.minReplicas > 0 ? connect('publish') : this.commands;
    this.pubSub = place.address === undefined ? plainPubSub(this.receive) : shardedPubSub(this.receive);
    this.#holdTogether();
    this.receive.watch({
      connected: () => watcher.connected(this),
      disconnected: () => watcher.disconnected(this),
    });
    this.#probe = new Probe(this, settings);
    this.pubSub.onMessage((channel, payload) => {
      if (channel === this.#probe.channel) this.#probe.message(payload);
      else watcher.message(this, channel, payload);
    });
    this.pubSub.onTaken((channel) => {
      if (channel === this.#probe.channel) this.#probe.takenOff();
      else watcher.takenOff(this, channel);
      place.misrouted();
    });
  }

  owns(name: string): boolean {
    return this.#place.owns(name);
  }

  misrouted(): void {
    this.#place.misrouted();
  }

  /** Why it is not to be relied on. */
  get trouble(): string | undefined {
    for (const { isUp, role, trouble } of this.#connections) {
      if (!isUp)
        return `Redis is not reachable (${[role, this.#place.address].filter(Boolean).join(', ')}): ${trouble}`;
    }
    return this.#probe.trouble;
  }

  /** Whether what is read on one connection is the history of what is received on the other. */
  get isWhole(): boolean {
    return this.commands.isUp && this.receive.isUp && this.commands.history === this.receive.history;
  }

  /** Makes every connection anew that leads elsewhere than to `address`. */
  moveTo(address: string, cause: unknown): void {
    for (const connection of this.#connections) if (connection.address !== address) connection.replace(cause);
  }

  rerouted(): void {
    this.#probe.rerouted();
  }

  /** The history of the data that publishes become a part of; undefined while it takes none. */
  get history(): string | undefined {
    return this.#publishing.isUp ? this.#publishing.history : undefined;
  }

  /** Resolves once the master has run the script and as many replicas as are asked for have what it wrote. */
  async publish(script: (string | number)[], deadline: Deadline): Promise<Published> {
    const { session, history } = this.#publishing;
    const reply = await this.#publishing.run((client) => client.publishChanges(...script));
    if (this.#minReplicas > 0 && reply[0] !== 'key-reused') await this.#confirm(session, deadline);
    return { reply, history };
  }

  async close(): Promise<void> {
    this.#probe.close();
    for (const connection of this.#connections) this.#tally.remove(connection);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  get #connections(): ReadonlySet<Connection> {
    return new Set([this.commands, this.#publishing, this.receive]);
  }

  async #confirm(session: number, deadline: Deadline): Promise<void> {
    const connection = this.#publishing;
    // WAIT speaks of what its own connection has written: on a new one it would say yes to anything.
    if (connection.session !== session) throw new Error('the connection broke before any replica confirmed');
    const patienceMs = Math.max(1, Math.floor(deadline.remainingMs) - MARGIN_MS);
    const confirmed = await connection.run((client) => client.wait(this.#minReplicas, patienceMs));
    if (confirmed >= this.#minReplicas) return;
    throw new Error(`${confirmed} of at least ${this.#minReplicas} replicas confirmed in time`);
  }

  /**
   * After a failover each connection finds the new master by itself. One that has not is replaced: it would take
   * publishes, or wait for messages, at a master that nobody else believes in any more.
   */
  #holdTogether(): void {
    for (const newest of this.#connections) {
      newest.watch({
        connected: () => {
          for (const other of this.#connections) {
            if (other.isUp && other.history !== newest.history) {
              other.replace(new Error(`the ${newest.role} connection has found another master`));
            }
          }
        },
      });
    }
  }
}

/** Left of the time for a publish to hear what WAIT says: Redis looks at its clock every 100 ms. */
const MARGIN_MS = 200;
