import { setTimeout as pause } from 'node:timers/promises';
import { type Address, connectionOptions } from './connection-options.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { Deadline } from './deadline.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import { isElsewhere } from './reply-error.ts';
import { inquireSlots } from './slot-inquiry.ts';
import { SlotMap } from './slot-map.ts';
import type { Topology, TopologyWatcher } from './topology.ts';

/** The masters of a cluster, each with connections of its own. It asks again and again who is in charge of what. */
export class Cluster implements Topology {
  readonly #settings: RedisSettings;
  readonly #watcher: TopologyWatcher;
  readonly #tally: ConnectionTally;
  /** By `host:port`. */
  readonly #nodes = new Map<string, RedisNode>();
  /** Masters of before that are about to be let go of. */
  readonly #former = new Set<RedisNode>();
  readonly #closing = new AbortController();
  #slots = new SlotMap([]);
  #ignorance: string | undefined = 'no node of the cluster has answered yet';
  #wake: (() => void) | undefined;
  #woken = false;
  /** Somebody was misrouted: until then the slots are asked for as in trouble, since some nodes hear of it late. */
  #doubtfulUntil = 0;

  constructor(settings: RedisSettings, watcher: TopologyWatcher) {
    this.#settings = settings;
    this.#watcher = watcher;
    this.#tally = new ConnectionTally(settings.observer);
    this.#keepAsking().catch((cause) => settings.observer.fault?.(cause));
  }

  nodeOf(name: string): RedisNode | undefined {
    const owner = this.#slots.ownerOf(name);
    return owner === undefined ? undefined : this.#nodes.get(owner);
  }

  async run<T>(key: string, deadline: Deadline, command: (node: RedisNode) => Promise<T>): Promise<T> {
    for (;;) {
      const node = this.nodeOf(key);
      if (!node) throw new Error(`no master is in charge of ${key}: ${this.trouble}`);
      try {
        return await command(node);
      } catch (cause) {
        if (!isElsewhere(cause)) throw cause;
        this.misrouted();
        await pause(RUN_AGAIN_MS);
        if (deadline.isOver) throw cause;
      }
    }
  }

  misrouted(): void {
    this.#doubtfulUntil = performance.now() + DOUBTFUL_MS;
    this.#woken = true;
    this.#wake?.();
  }

  get trouble(): string | undefined {
    if (this.#ignorance !== undefined) return `the cluster is not known: ${this.#ignorance}`;
    for (const node of this.#nodes.values()) {
      if (node.trouble) return node.trouble;
    }
    return this.#slots.isWhole ? undefined : 'no master is in charge of some slots of the cluster';
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#nodes.values(), ...this.#former].map((node) => node.close()));
  }

  async #keepAsking(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#woken = false;
      try {
        const slots = await inquireSlots(this.#settings, this.#known());
        this.#ignorance = undefined;
        if (!signal.aborted) this.#adopt(slots);
      } catch (cause) {
        this.#ignorance = cause instanceof Error ? cause.message : String(cause);
      }
      await this.#rest(signal);
    }
  }

  #known(): ReadonlyMap<Address, RedisNode> {
    const known = new Map<Address, RedisNode>();
    for (const [name, address] of this.#slots.masters) {
      const node = this.#nodes.get(name);
      if (node) known.set(address, node);
    }
    return known;
  }

  /** Connects to new masters, lets go of those of before, and has every channel look where it belongs. */
  #adopt(slots: SlotMap): void {
    this.#slots = slots;
    for (const [name, address] of slots.masters) {
      if (!this.#nodes.has(name)) this.#nodes.set(name, this.#connect(name, address));
    }
    const former = [...this.#nodes].filter(([name]) => !slots.masters.has(name));
    for (const [name] of former) this.#nodes.delete(name);
    this.#watcher.rerouted();
    for (const node of this.#nodes.values()) node.rerouted();
    for (const [, node] of former) {
      this.#letGo(node).catch((cause) => this.#settings.observer.fault?.(cause));
    }
  }

  /** Not at once: it has channels to hand over. */
  async #letGo(node: RedisNode): Promise<void> {
    this.#former.add(node);
    await pause(LET_GO_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
    await node.close();
    this.#former.delete(node);
  }

  #connect(name: string, address: Address): RedisNode {
    const place = {
      address: name,
      options: connectionOptions(this.#settings, address),
      owns: (channel: string) => this.#slots.ownerOf(channel) === name,
      misrouted: () => this.misrouted(),
    };
    const node = new RedisNode(place, this.#settings, this.#tally, this.#watcher);
    // A master that is gone is often the first sign that another one has taken its place.
    for (const connection of [node.commands, node.receive]) {
      connection.watch({ disconnected: () => this.misrouted() });
    }
    return node;
  }

  /** Until somebody is misrouted, or a while; never so short that a storm of redirections becomes one of questions. */
  async #rest(signal: AbortSignal): Promise<void> {
    const isWell = this.trouble === undefined && performance.now() > this.#doubtfulUntil;
    const ms = isWell ? ASK_WHEN_WELL_MS : ASK_IN_TROUBLE_MS * (0.5 + Math.random());
    await pause(ASK_NEVER_SOONER_MS, undefined, { signal }).catch(() => {});
    if (this.#woken || signal.aborted) return;
    const rest = new AbortController();
    this.#wake = () => rest.abort();
    await pause(ms, undefined, { signal: AbortSignal.any([signal, rest.signal]) }).catch(() => {});
    this.#wake = undefined;
  }
}

const RUN_AGAIN_MS = 50;
const LET_GO_MS = 1_000;
const ASK_NEVER_SOONER_MS = 50;
const ASK_IN_TROUBLE_MS = 400;
const ASK_WHEN_WELL_MS = 10_000;
const DOUBTFUL_MS = 1_000;
