import type { JournalBounds } from '@listen-gateway/core';
import { DEFAULT_PREFIX } from './redis-keys.ts';
import type { RedisObserver } from './redis-observer.ts';

/** How the Redis is set up. */
export type RedisMode = 'standalone' | 'sentinel' | 'cluster';

export interface RedisBrokerOptions {
  /**
   * `redis://[user:password@]host:port[/db]`, or `rediss://` for TLS. With sentinels the host is the name of the master
   * among them; of a cluster it is a node.
   */
  readonly url: string;
  readonly mode?: RedisMode;
  /** `host:port` of the sentinels, or of further nodes of the cluster to begin with. */
  readonly nodes?: readonly string[];
  /** Instead of those in the URL. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Of the sentinels, if they want any. */
  readonly sentinel?: { readonly username?: string | undefined; readonly password?: string | undefined };
  /** Of a `rediss://` URL. */
  readonly tls?: RedisTls;
  /** So many replicas must confirm a publish; it is rejected otherwise, although it may still be delivered. */
  readonly minReplicas?: number;
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

/** Files, read once when the broker is opened. */
export interface RedisTls {
  /** Certificates of the authorities to trust, instead of those that Node brings. */
  readonly caFile?: string | undefined;
  /** The certificate that the client shows, and its key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The name that the server's certificate must bear, where it is not the host that is connected to. */
  readonly serverName?: string | undefined;
}

export type RedisSettings = Required<RedisBrokerOptions>;

const DEFAULTS = {
  mode: 'standalone',
  nodes: [],
  username: undefined,
  password: undefined,
  sentinel: {},
  tls: {},
  minReplicas: 0,
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
