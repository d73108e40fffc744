import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { openAll, orClose } from './open-all.ts';
import { openRedisProcess, RedisProcess, type RedisProcessOptions } from './redis-process.ts';
import { ensureRedis } from './redis-program.ts';
import { openRedisReplica } from './redis-replica.ts';
import { eventually } from './within.ts';

export interface RedisSentinelsOptions extends RedisProcessOptions {
  /** Of the one master; one unless told otherwise. */
  readonly replicas?: number;
  /** How long the master is silent before the sentinels give it up. */
  readonly downAfterMs?: number;
}

/** Real processes on free loopback ports: a master with replicas, and three sentinels that have found each other. */
export async function openRedisSentinels(options: RedisSentinelsOptions = {}): Promise<RedisSentinels> {
  const { replicas = 1, downAfterMs = 1_000, ...each } = options;
  const tls = each.tls ? ['--tls-replication', 'yes'] : [];
  const master = await openRedisProcess({ ...each, args: [...tls, ...(each.args ?? [])] });
  const servers = [master];
  const sentinels: RedisProcess[] = [];
  const all = new RedisSentinels(servers, sentinels);
  await orClose([all], async () => {
    // A sentinel asks a master for its replicas at once and then every 10 s only, so they have to be there before it.
    servers.push(...(await openAll(Array.from({ length: replicas }, () => openRedisReplica(master, each)))));
    sentinels.push(...(await openAll([1, 2, 3].map(() => openSentinel(master, downAfterMs, each)))));
    await all.settled();
  });
  return all;
}

async function openSentinel(
  master: RedisProcess,
  downAfterMs: number,
  each: RedisProcessOptions,
): Promise<RedisProcess> {
  const { tls } = each;
  const program = await ensureRedis(each.program ?? 'redis');
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-sentinel-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const config = join(dir, 'sentinel.conf');
  const name = RedisSentinels.MASTER;
  const lines = [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`],
    ...(tls ? [`tls-port ${tlsPort}`, 'tls-replication yes', ...configLines(tls.serverArguments)] : []),
    `sentinel monitor ${name} 127.0.0.1 ${tls ? master.tlsPort : master.port} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  // A file, because a sentinel writes what it learns into it.
  await writeFile(config, `${lines.join('\n')}\n`);
  const sentinel = new RedisProcess({ program, dir, port, tlsPort, args: [config, '--sentinel'] });
  await orClose([sentinel], () => sentinel.start());
  return sentinel;
}

/** Turns `--name value` into `name value`. */
function configLines(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => (arg.startsWith('--') ? [`${arg.slice(2)} ${args[index + 1]}`] : []));
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

  get tlsAddresses(): string[] {
    return this.sentinels.map(({ tlsAddress }) => tlsAddress);
  }

  /** The server that the sentinels name as master. */
  async master(): Promise<RedisProcess> {
    const [sentinel] = this.sentinels.filter(({ isRunning }) => isRunning);
    const reply = (await sentinel?.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', RedisSentinels.MASTER)) as string[];
    const master = this.servers.find(({ port, tlsPort }) => [port, tlsPort].includes(Number(reply[1])));
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
      // Sentinels end the connections to a server whose part they change.
      const replication = await master.cli('INFO', 'replication').catch(() => '');
      return master !== former && String(replication).includes('role:master');
    });
    return this.master();
  }

  /** Resolves once a former master has been told that it is one no more, some 10 s after the others know. */
  async demoted(former: RedisProcess): Promise<void> {
    await eventually(30_000, 'the former master to follow', async () => {
      return String(await former.cli('INFO', 'replication').catch(() => '')).includes('role:slave');
    });
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
