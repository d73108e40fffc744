import { freePort } from './free-port.ts';
import { openAll, orClose } from './open-all.ts';
import type { RedisReply } from './redis-cli.ts';
import { openRedisProcess, type RedisProcess, type RedisProcessOptions } from './redis-process.ts';
import { eventually } from './within.ts';

const SLOTS = 16_384;

export interface RedisClusterOptions extends RedisProcessOptions {
  /** Three unless told otherwise, which is the least that can vote a failed one out. */
  readonly masters?: number;
  /** Of each master; none unless told otherwise. */
  readonly replicas?: number;
  /** How long a master is silent before the others give it up. */
  readonly nodeTimeoutMs?: number;
}

/** Real nodes on free loopback ports that form a cluster; resolves once every node finds it well. */
export async function openRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 0, nodeTimeoutMs = 1_500, program = 'redis', tls, args = [] } = options;
  const nodes = await openAll(
    Array.from({ length: masters * (1 + replicas) }, async () => {
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
      const timing = ['--cluster-node-timeout', String(nodeTimeoutMs), '--repl-diskless-sync-delay', '0'];
      if (tls) cluster.push('--tls-cluster', 'yes', '--tls-replication', 'yes');
      return openRedisProcess({ program, ...(tls && { tls }), args: [...cluster, ...timing, ...args] });
    }),
  );
  const cluster = new RedisCluster(nodes);
  await orClose([cluster], () => cluster.form(masters));
  return cluster;
}

/** A cluster whose nodes a test can kill, freeze and move slots between. */
export class RedisCluster {
  /** Masters and replicas, in no order. */
  readonly nodes: readonly RedisProcess[];

  constructor(nodes: readonly RedisProcess[]) {
    this.nodes = nodes;
  }

  /** `host:port` of every node. */
  get addresses(): string[] {
    return this.nodes.map(({ address }) => address);
  }

  get tlsAddresses(): string[] {
    return this.nodes.map(({ tlsAddress }) => tlsAddress);
  }

  /** The master of the slot that a key or channel is in, as the nodes that run see it. */
  async masterOf(key: string): Promise<RedisProcess> {
    const slot = Number(await this.#ask('CLUSTER', 'KEYSLOT', key));
    const line = (await this.#table()).find(({ slots }) => slots.some(([from, to]) => from <= slot && slot <= to));
    if (!line) throw new Error(`no master owns the slot of ${key}`);
    return line.node;
  }

  /** A master that does not own the slot of the key. */
  async masterBeside(key: string): Promise<RedisProcess> {
    const master = await this.masterOf(key);
    const other = (await this.#table()).find(({ node, slots }) => node !== master && slots.length > 0);
    if (!other) throw new Error('there is no other master');
    return other.node;
  }

  /** The replicas of a master. */
  async replicasOf(master: RedisProcess): Promise<RedisProcess[]> {
    const ids = (await master.cli('CLUSTER', 'REPLICAS', await idOf(master))) as string[];
    return this.nodes.filter(({ port }) => ids.some((line) => line.includes(` 127.0.0.1:${port}@`)));
  }

  /** Runs a command on the master of a key. */
  async cli(key: string, ...args: (string | Buffer)[]): Promise<RedisReply> {
    return (await this.masterOf(key)).cli(...args);
  }

  /** Resolves once another node than `former` is the master of the key. */
  async failedOver(key: string, former: RedisProcess): Promise<RedisProcess> {
    let master = former;
    await eventually(20_000, 'a replica to take over', async () => {
      master = await this.masterOf(key).catch(() => former);
      return master !== former;
    });
    // Not asked for again: another node may be asked next that has not heard of it yet.
    return master;
  }

  /** Moves the slot of a key and all in it to another master, as `redis-cli --cluster reshard` does. */
  async moveSlot(key: string, to: RedisProcess): Promise<void> {
    const from = await this.masterOf(key);
    const slot = String(await from.cli('CLUSTER', 'KEYSLOT', key));
    await to.cli('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await idOf(from));
    await from.cli('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await idOf(to));
    for (;;) {
      const keys = (await from.cli('CLUSTER', 'GETKEYSINSLOT', slot, '10')) as string[];
      if (keys.length === 0) break;
      await from.cli('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
    }
    for (const node of [to, from]) await node.cli('CLUSTER', 'SETSLOT', slot, 'NODE', await idOf(to));
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** Makes the first so many nodes masters and the others their replicas. */
  async form(masters: number): Promise<void> {
    const [first, ...others] = this.nodes;
    for (const [index, node] of this.nodes.entries()) {
      await node.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
      if (index >= masters) continue;
      const at = (n: number) => Math.floor((n * SLOTS) / masters);
      await node.cli('CLUSTER', 'ADDSLOTSRANGE', String(at(index)), String(at(index + 1) - 1));
    }
    for (const node of others) {
      const [, busPort = ''] = /@(\d+)/.exec(String(await node.cli('CLUSTER', 'NODES'))) ?? [];
      await first?.cli('CLUSTER', 'MEET', '127.0.0.1', String(node.port), busPort);
    }
    await this.#everyNode('to know the others', async (node) => {
      const table = String(await node.cli('CLUSTER', 'NODES'));
      return !table.includes('handshake') && table.trim().split('\n').length === this.nodes.length;
    });
    for (const [index, node] of this.nodes.entries()) {
      const master = this.nodes[index % masters];
      if (index >= masters && master) await node.cli('CLUSTER', 'REPLICATE', await idOf(master));
    }
    await this.#everyNode('to find the cluster well', async (node) => {
      const cluster = String(await node.cli('CLUSTER', 'INFO'));
      const replication = String(await node.cli('INFO', 'replication'));
      // A master votes for no replica that it does not know as one, and hears of it late where the time-out is long.
      const replicas = String(await node.cli('CLUSTER', 'NODES')).match(/slave/g) ?? [];
      return (
        cluster.includes('cluster_state:ok') &&
        !replication.includes('master_link_status:down') &&
        replicas.length === this.nodes.length - masters
      );
    });
  }

  /** The answer of the first node that gives one: some may be frozen. */
  #ask(...args: string[]): Promise<RedisReply> {
    return Promise.any(this.nodes.filter(({ isRunning }) => isRunning).map((node) => node.cli(...args)));
  }

  async #everyNode(what: string, holds: (node: RedisProcess) => Promise<boolean>): Promise<void> {
    await Promise.all(
      this.nodes.map((node) => eventually(30_000, `node ${node.port} ${what}`, () => holds(node).catch(() => false))),
    );
  }

  /** The nodes that own slots, as the node that answers first sees them. */
  async #table(): Promise<{ node: RedisProcess; slots: [number, number][] }[]> {
    const table = String(await this.#ask('CLUSTER', 'NODES')).trim();
    return table.split('\n').flatMap((line) => {
      const [, address = '', , , , , , , ...ranges] = line.split(' ');
      const node = this.nodes.find(({ port }) => address.startsWith(`127.0.0.1:${port}@`));
      const slots = ranges.filter((range) => !range.startsWith('[')).map(slotRange);
      return node && slots.length > 0 ? [{ node, slots }] : [];
    });
  }
}

async function idOf(node: RedisProcess): Promise<string> {
  return String(await node.cli('CLUSTER', 'MYID'));
}

/** Reads `0-5460` or `7`. */
function slotRange(text: string): [number, number] {
  const [from = 0, to = from] = text.split('-').map(Number);
  return [from, to];
}
