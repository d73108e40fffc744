import { Cluster, Redis, type Result } from 'ioredis';
import { connectionOptions, seeds } from '../connection-options.ts';
import type { RedisSettings } from '../redis-options.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    claimStream(...keysAndArguments: (string | number)[]): Result<0 | 1, Context>;
    renewLease(...keysAndArguments: (string | number)[]): Result<0 | 1, Context>;
  }
}

/** The connection that limits are kept by; apart from the broker's, so that a flood of refusals delays no change. */
export type LimitsClient = Redis | Cluster;

/** Connects, and goes on trying; commands fail at once while there is no connection. */
export function openLimitsClient(settings: RedisSettings): LimitsClient {
  const redisOptions = {
    ...connectionOptions(settings),
    commandTimeout: PATIENCE_MS,
    connectionName: `${settings.name}:limits`,
  };
  const client =
    settings.mode === 'cluster'
      ? new Cluster(seeds(settings), { redisOptions, enableOfflineQueue: false, maxRedirections: 3 })
      : new Redis(redisOptions);
  // The broker reports on the same Redis; an emitter without a listener would throw.
  client.on('error', () => {});
  return client;
}

/** What a limit may add to a request while Redis hangs; then this process decides alone. */
const PATIENCE_MS = 300;
