import type { JournalBounds } from '@listen-gateway/core';
import { DEFAULT_PREFIX } from './redis-keys.ts';
import type { RedisObserver } from './redis-observer.ts';

export interface RedisBrokerOptions {
  /** `redis://[user:password@]host:port[/db]`, or `rediss://` for TLS. */
  readonly url: string;
  /** Begins every key and channel; brokers hear of each other only under the same one. */
  readonly prefix?: string;
  /** Begins the connections' names in CLIENT LIST. */
  readonly name?: string;
  /** An attach that is not certain by then rejects. */
  readonly attachTimeoutMs?: number;
  /** A publish that is not answered by then rejects. Redis may still carry it out: see `Idempotency`. */
  readonly commandTimeoutMs?: number;
  /** How long a channel is kept after its last listener left. */
  readonly lingerMs?: number;
  /** How often the way from a publish to the receive connection is tried, and how long one such try may take. */
  readonly probeMs?: number;
  readonly journal?: JournalBounds;
  /** How long an idempotency key is remembered. */
  readonly idempotencyTtlMs?: number;
  /** Messages kept for each server while its journal is read; the rest is read from the journal. */
  readonly heldMessages?: number;
  readonly observer?: RedisObserver;
}

export type RedisSettings = Required<RedisBrokerOptions>;

const DEFAULTS = {
  prefix: DEFAULT_PREFIX,
  name: 'listen-gateway',
  attachTimeoutMs: 2_000,
  commandTimeoutMs: 1_500,
  lingerMs: 5_000,
  probeMs: 2_000,
  journal: { length: 10_000, ageMs: 60 * 60_000 },
  idempotencyTtlMs: 60 * 60_000,
  heldMessages: 1_000,
  observer: {},
} satisfies Omit<RedisSettings, 'url'>;

export function redisSettings(options: RedisBrokerOptions): RedisSettings {
  return { ...DEFAULTS, ...options };
}
