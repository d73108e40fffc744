import { createHash } from 'node:crypto';
import type { ServerId } from '@listen-gateway/protocol';

/** Begins every key and channel; the number is the version of the format (docs/redis-format.md). */
export const DEFAULT_PREFIX = 'lg:1:';

/** What one server's changes live under. All names share the hash tag `{server}`, so one script reaches them all. */
export interface RedisKeys {
  /** The stream of changes, bounded in length and age. */
  readonly journal: string;
  /** The id of the latest change; outlives the journal's entries. */
  readonly last: string;
  /** The pub/sub channel. */
  readonly channel: string;
  /** Where the outcome of a publish under this idempotency key is kept. */
  idempotency(key: string): string;
}

export function redisKeys(prefix: string, serverId: ServerId): RedisKeys {
  const stem = `${prefix}{${serverId}}:`;
  return {
    journal: `${stem}journal`,
    last: `${stem}last`,
    channel: `${stem}changes`,
    idempotency: (key) => `${stem}idem:${createHash('sha256').update(key).digest('hex')}`,
  };
}
