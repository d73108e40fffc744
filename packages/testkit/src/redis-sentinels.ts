import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from './ensure-program.ts';
import { freePort } from './free-port.ts';
import { openRedisProcess, RedisProcess } from './redis-process.ts';
import { eventually } from './within.ts';

export interface RedisSentinelsOptions {
  /** Of the one master; one unless told otherwise. */
  readonly replicas?: number;
  /** How long the master is silent before the sentinels give it up. */
  readonly downAfterMs?: number;
  /** Arguments of every redis-server. */
  readonly args?: readonly string[];
}

/** Real processes on free loopback ports: a master with replicas, and three sentinels that have found each other. */
export async function openRedisSentinels(options: RedisSentinelsOptions = {}): Promise<RedisSentinels> {
  const { replicas = 1, downAfterMs = 1_000, args = [] } = options;
  const quick = ['--repl-diskless-sync-delay', '0', ...args];
  const master = await openRedisProcess({ args: quick });
  const replicaof = ['--replicaof', '127.0.0.1', String(master.port)];
  const copies = Array.from({ length: replicas }, () => openRedisProcess({ args: [...quick, ...replicaof] }));
  const servers = [master, ...(await Promise.all(copies))];
  // A sentinel asks a master for its replicas at once and then every 10 s only, so they have to be there before it.
  await eventually(20_000, 'the replicas to follow', async () => {
    const links = await Promise.all(servers.slice(1).map((server) => server.cli('INFO', 'replication')));
    return links.every((link) => String(link).includes('master_link_status:up'));
  });
  const sentinels = await Promise.all([1, 2, 3].map(() => openSentinel(master, downAfterMs)));
  const all = new RedisSentinels(servers, sentinels);
  await all.settled();
  return all;
}

async function openSentinel(master: RedisProcess, downAfterMs: number): Promise<RedisProcess> {
  const program = await ensureProgram('redis-server', { apt: 'redis-server' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-sentinel-'));
  const port = await freePort();
  const config = join(dir, 'sentinel.conf');
  const monitor = [
    `sentinel monitor ${RedisSentinels.MASTER} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${RedisSentinels.MASTER} ${downAfterMs}`,
    `sentinel failover-timeout ${RedisSentinels.MASTER} 5000`,
  ];
  // A file, because a sentinel writes what it learns into it.
  await writeFile(config, [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, ...monitor, ''].join('\n'));
  const sentinel = new RedisProcess({ program, dir, port, args: [config, '--sentinel'] });
  await sentinel.start();
  return sentinel;
}

/** A master and its replicas that a test can kill, freeze and have changed over. */
export class RedisSentinels {
  /** The name of the master among sentinels. */
  static readonly MASTER = 'listen-gateway';
  readonly servers: readonly RedisProcess[];
  readonly sentinels: readonly RedisProcess[];

  constructor(servers: readonly RedisProcess[], sentinels: readonly RedisProcess[]) {
    this.servers = servers;
    this.sentinels = sentinels;
  }

  /** `host:port` of every sentinel. */
  get addresses(): string[] {
    return this.sentinels.map(({ address }) => address);
  }

  /** The server that the sentinels name as master. */
  async master(): Promise<RedisProcess> {
    const [sentinel] = this.sentinels.filter(({ isRunning }) => isRunning);
    const reply = (await sentinel?.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', RedisSentinels.MASTER)) as string[];
    const master = this.servers.find(({ port }) => String(port) === reply[1]);
    if (!master) throw new Error(`the sentinels name a stranger as master: ${reply}`);
    return master;
  }

  /** The servers that are not. */
  async replicas(): Promise<RedisProcess[]> {
    const master = await this.master();
    return this.servers.filter((server) => server !== master);
  }

  /** Has the sentinels make a replica the master although the master is well; resolves with the new one. */
  async failOver(): Promise<RedisProcess> {
    const former = await this.master();
    await this.sentinels[0]?.cli('SENTINEL', 'FAILOVER', RedisSentinels.MASTER);
    return this.failedOver(former);
  }

  /** Resolves once another server than `former` is the master and says so itself. */
  async failedOver(former: RedisProcess): Promise<RedisProcess> {
    await eventually(30_000, 'the sentinels to name another master', async () => {
      const master = await this.master();
      return master !== former && String(await master.cli('INFO', 'replication')).includes('role:master');
    });
    return this.master();
  }

  /** Resolves once every sentinel knows the other two and the replicas. */
  async settled(): Promise<void> {
    const replicas = this.servers.length - 1;
    for (const sentinel of this.sentinels) {
      await eventually(30_000, 'the sentinels to find each other', async () => {
        const reply = (await sentinel.cli('SENTINEL', 'MASTER', RedisSentinels.MASTER)) as string[];
        const value = (name: string) => reply[reply.indexOf(name) + 1];
        return value('num-other-sentinels') === '2' && value('num-slaves') === String(replicas);
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((one) => one.close()));
  }
}
