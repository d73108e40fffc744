import type { Redis } from './redis-process.ts';

/** The connections to a Redis whose name begins with `prefix`. */
export async function redisClients(redis: Redis, prefix: string): Promise<RedisClient[]> {
  const list = String(await redis.cli('CLIENT', 'LIST'));
  const clients = list.split('\n').map((line) => ({
    id: /\bid=(\d+)/.exec(line)?.[1] ?? '',
    name: /\bname=(\S*)/.exec(line)?.[1] ?? '',
    port: Number(/\baddr=\S*:(\d+)/.exec(line)?.[1]),
  }));
  return clients.filter(({ name }) => name.startsWith(prefix));
}

export interface RedisClient {
  readonly id: string;
  readonly name: string;
  /** Where it connects from. */
  readonly port: number;
}

/** Ends these connections from the side of Redis. */
export async function killRedisClients(redis: Redis, prefix: string): Promise<void> {
  for (const { id } of await redisClients(redis, prefix)) await redis.cli('CLIENT', 'KILL', 'ID', id);
}
