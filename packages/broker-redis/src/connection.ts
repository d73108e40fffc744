import { Redis, ReplyError, type Result } from 'ioredis';
import { PUBLISH_LUA, type PublishReply } from './publish-script.ts';
import { READ_LUA, type ReadArguments, type ReadReply } from './read-script.ts';
import type { ConnectionRole, RedisObserver } from './redis-observer.ts';
import type { RedisSettings } from './redis-options.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    publishChanges(...keysAndArguments: (string | number)[]): Result<PublishReply, Context>;
    readJournal(...keysAndArguments: ReadArguments): Result<ReadReply, Context>;
  }
}

/** One connection to Redis that comes back by itself for ever, and never keeps a command for later. */
export class Connection {
  readonly role: ConnectionRole;
  readonly client: Redis;
  readonly #observer: RedisObserver;
  readonly #watchers = new Set<ConnectionWatcher>();
  #up = false;
  #closing = false;
  #trouble: unknown;

  constructor(role: ConnectionRole, settings: RedisSettings) {
    this.role = role;
    this.#observer = settings.observer;
    this.client = new Redis(settings.url, {
      ...BEHAVIOUR,
      connectionName: `${settings.name}:${role}`,
      commandTimeout: settings.commandTimeoutMs,
      scripts: { publishChanges: { lua: PUBLISH_LUA }, readJournal: { lua: READ_LUA, numberOfKeys: 2 } },
    });
    // Without a listener ioredis prints its errors itself, and an emitter may throw them.
    this.client.on('error', (cause) => this.#failed(cause));
    this.client.on('ready', () => this.#came());
    this.client.on('close', () => this.#went(this.#trouble ?? new Error('the connection was closed')));
  }

  /** Whether commands would be sent now. */
  get isUp(): boolean {
    return this.#up;
  }

  /** Why it is not up. */
  get trouble(): string {
    return this.#trouble instanceof Error ? this.#trouble.message : 'not connected yet';
  }

  /** Tells of every change from down to up and back, and at once if it is up. */
  watch(watcher: ConnectionWatcher): void {
    this.#watchers.add(watcher);
    if (this.#up) watcher.connected();
  }

  /** Runs one command; a connection that does not answer it in time is replaced. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    try {
      return await command(this.client);
    } catch (cause) {
      // Not Redis' answer, and yet the connection looks well: it hangs, and whatever is sent on it would wait as long.
      if (!isReply(cause)) this.replace(cause);
      throw cause;
    }
  }

  /** Gives up the connection and makes a new one. */
  replace(cause: unknown): void {
    if (!this.#up) return;
    this.#went(cause);
    this.client.disconnect(true);
  }

  /** Ends it for good; resolves once the socket is closed. */
  async close(): Promise<void> {
    this.#closing = true;
    const ended = new Promise<void>((resolve) => this.client.once('end', resolve));
    this.client.disconnect();
    // Between two attempts to connect there is no socket, and ioredis reports no end.
    if (this.client.status !== 'reconnecting' && this.client.status !== 'end') await ended;
    this.#went(new Error('the broker is closed'));
  }

  #came(): void {
    this.#up = true;
    this.#trouble = undefined;
    this.#observer.connected?.(this.role);
    for (const watcher of this.#watchers) watcher.connected();
  }

  #failed(cause: unknown): void {
    if (!this.#up) this.#observer.disconnected?.(this.role, cause);
    this.#trouble = cause;
  }

  #went(cause: unknown): void {
    if (!this.#up) return;
    this.#up = false;
    this.#trouble = cause;
    // What was asked for is no news to an operator.
    if (!this.#closing) this.#observer.disconnected?.(this.role, cause);
    for (const watcher of this.#watchers) watcher.disconnected();
  }
}

export interface ConnectionWatcher {
  /** A new connection: nothing is subscribed on it. */
  connected(): void;
  disconnected(): void;
}

/** Whether Redis itself said no, as opposed to a connection that failed. */
export function isReply(cause: unknown): boolean {
  return cause instanceof ReplyError;
}

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
