import { killRedisClients } from './redis-clients.ts';
import type { RedisProcess } from './redis-process.ts';
import { RedisSentinels } from './redis-sentinels.ts';

const USER = 'deaf';

/**
 * Has one sentinel hear nothing of the others any more, by a user of its own at the servers and by refusing what they
 * tell it: it answers with what it knew before. It changes no server either, which it would do after some eight seconds.
 */
export async function deafenSentinel(sentinel: RedisProcess, { servers }: RedisSentinels): Promise<void> {
  const rights = ['~*', '&*', '+@all', '-subscribe', '-replicaof', '-slaveof'];
  for (const server of servers) await server.cli('ACL', 'SETUSER', USER, 'on', `>${USER}`, ...rights);
  for (const setting of ['auth-user', 'auth-pass']) {
    await sentinel.cli('SENTINEL', 'SET', RedisSentinels.MASTER, setting, USER);
  }
  await sentinel.cli('ACL', 'SETUSER', 'default', '-publish');
  const id = String(await sentinel.cli('SENTINEL', 'MYID'));
  for (const server of servers) await killRedisClients(server, `sentinel-${id.slice(0, 8)}`);
}

/** Has it hear again: within some two seconds it knows, and tells, what the others do. */
export async function cureSentinel(sentinel: RedisProcess): Promise<void> {
  await sentinel.cli('ACL', 'SETUSER', 'default', '+publish');
}
