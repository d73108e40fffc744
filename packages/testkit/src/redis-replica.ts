import { orClose } from './open-all.ts';
import { openRedisProcess, type RedisProcess, type RedisProcessOptions } from './redis-process.ts';
import { eventually } from './within.ts';

/** A replica of a master; resolves once it follows. */
export async function openRedisReplica(master: RedisProcess, options: RedisProcessOptions = {}): Promise<RedisProcess> {
  // Else the master waits 5 s for more replicas before it lets the first one copy.
  await master.cli('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
  const follow = options.tls
    ? ['--tls-replication', 'yes', '--replicaof', '127.0.0.1', String(master.tlsPort)]
    : ['--replicaof', '127.0.0.1', String(master.port)];
  const replica = await openRedisProcess({ ...options, args: [...follow, ...(options.args ?? [])] });
  const follows = async () => String(await replica.cli('INFO', 'replication')).includes('master_link_status:up');
  await orClose([replica], () => eventually(20_000, 'the replica to follow', follows));
  return replica;
}
