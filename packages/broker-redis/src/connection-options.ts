import { readFileSync } from 'node:fs';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { BREAK_LUA } from './break-script.ts';
import { PUBLISH_LUA } from './publish-script.ts';
import { READ_LUA, TRY_READ_LUA } from './read-script.ts';
import type { RedisSettings } from './redis-options.ts';

/** Where a node of a cluster or a sentinel is. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Replies keep the shapes of RESP2, whatever the protocol. */
export type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** How ioredis connects to the master that the settings name, or to the node of a cluster at `address`. */
export function connectionOptions(settings: RedisSettings, address?: Address): ConnectionOptions {
  const url = new URL(settings.url);
  const db = Number(url.pathname.slice(1));
  return {
    ...BEHAVIOUR,
    ...credentials(settings, url),
    ...(Number.isInteger(db) && { db }),
    ...(settings.mode === 'sentinel'
      ? throughSentinels(settings, url)
      : { ...(address ?? addressOf(url)), ...tls(settings, url) }),
    commandTimeout: settings.commandTimeoutMs,
    scripts: {
      publishChanges: { lua: PUBLISH_LUA },
      readJournal: { lua: READ_LUA, numberOfKeys: 2 },
      tryRead: { lua: TRY_READ_LUA, numberOfKeys: 2 },
      breakIfLost: { lua: BREAK_LUA, numberOfKeys: 3 },
    },
  };
}

/** How ioredis connects to each sentinel, and the name of the master to ask for. */
export function sentinelOptions(settings: RedisSettings): (ConnectionOptions & { readonly master: string })[] {
  const url = new URL(settings.url);
  const { username, password } = settings.sentinel;
  return sentinels(settings).map((address) => ({
    ...BEHAVIOUR,
    ...address,
    ...tls(settings, url),
    ...(username && { username }),
    ...(password && { password }),
    enableReadyCheck: false,
    commandTimeout: SENTINEL_PATIENCE_MS,
    master: masterName(url),
  }));
}

/** The nodes of a cluster that are asked first. */
export function seeds({ url, nodes }: RedisSettings): Address[] {
  return [addressOf(new URL(url)), ...nodes.map((node) => addressOf(new URL(`redis://${node}`)))];
}

function addressOf({ hostname, port }: URL, usualPort = 6379): Address {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port || usualPort) };
}

function credentials(settings: RedisSettings, url: URL) {
  const username = settings.username ?? decodeURIComponent(url.username);
  const password = settings.password ?? decodeURIComponent(url.password);
  return { ...(username && { username }), ...(password && { password }) };
}

function throughSentinels(settings: RedisSettings, url: URL): ConnectionOptions {
  const { username, password } = settings.sentinel;
  const secure = tls(settings, url).tls;
  return {
    name: masterName(url),
    sentinels: sentinels(settings),
    role: 'master',
    // Without it a sentinel that hangs would keep the others from being asked.
    sentinelCommandTimeout: SENTINEL_PATIENCE_MS,
    sentinelRetryStrategy: BEHAVIOUR.retryStrategy,
    // The sentinels of the configuration are the ones to trust, and the ones whose addresses can be reached from here.
    updateSentinels: false,
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(secure && { tls: secure, sentinelTLS: secure, enableTLSForSentinelMode: true }),
  };
}

function sentinels({ nodes }: RedisSettings): Address[] {
  return nodes.map((node) => addressOf(new URL(`redis://${node}`), 26_379));
}

/** A URL parser lowers no case here, because `redis:` is none of the schemes that have rules for hosts. */
function masterName(url: URL): string {
  return decodeURIComponent(url.hostname);
}

function tls({ tls: files }: RedisSettings, url: URL): { readonly tls?: TlsOptions } {
  if (url.protocol !== 'rediss:') return {};
  const { caFile, certFile, keyFile, serverName } = files;
  return {
    tls: {
      ...(caFile && { ca: readFileSync(caFile) }),
      ...(certFile && { cert: readFileSync(certFile) }),
      ...(keyFile && { key: readFileSync(keyFile) }),
      ...(serverName && { servername: serverName }),
    },
  };
}

const SENTINEL_PATIENCE_MS = 1_000;

const BEHAVIOUR = {
  // A command that cannot be sent now fails now: a publish parked until Redis is back would be answered long after its
  // backend gave up, and tell hosts of what is long past. The two lines after it do the same for commands in flight.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // Subscriptions are renewed by the receiver, which must know when each is confirmed.
  autoResubscribe: false,
  // CLIENT SETINFO would be one more right to grant.
  disableClientInfo: true,
  connectTimeout: 2_000,
  disconnectTimeout: 200,
  // The jitter keeps instances from coming back all at once after a restart of Redis.
  retryStrategy: (times: number) => Math.min(1_000, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
} as const;
