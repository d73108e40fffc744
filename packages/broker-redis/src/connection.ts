import { Redis, type Result } from 'ioredis';
import type { BreakArguments, BreakReply } from './break-script.ts';
import type { Address, ConnectionOptions } from './connection-options.ts';
import { ignoreLateErrors } from './late-errors.ts';
import type { PublishReply } from './publish-script.ts';
import type { ReadArguments, ReadReply } from './read-script.ts';
import type { ConnectionRole } from './redis-observer.ts';
import { readReplication } from './replication.ts';
import { isReply, replyCode } from './reply-error.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    publishChanges(...keysAndArguments: (string | number)[]): Result<PublishReply, Context>;
    readJournal(...keysAndArguments: ReadArguments): Result<ReadReply, Context>;
    tryRead(journal: string, last: string): Result<string, Context>;
    breakIfLost(...keysAndArguments: BreakArguments): Result<BreakReply, Context>;
  }
}

/** One connection to a master that comes back by itself for ever, and never keeps a command for later. */
export class Connection {
  readonly role: ConnectionRole;
  readonly client: Redis;
  readonly #redirect: Redirect;
  readonly #watchers = new Set<ConnectionWatcher>();
  #up = false;
  #session = 0;
  #history = '';
  #address = '';
  #closing = false;
  #trouble: unknown;
  #patience: NodeJS.Timeout | undefined;

  constructor(role: ConnectionRole, options: ConnectionOptions, redirect: Redirect = () => undefined) {
    this.role = role;
    this.#redirect = redirect;
    this.client = new Redis({ ...options, natMap: (named) => this.#choose(named) });
    // Without a listener ioredis prints its errors itself, and an emitter may throw them.
    this.client.on('error', (cause) => this.#failed(cause));
    this.client.on('ready', () => void this.#greet(this.#session));
    this.client.on('close', () => {
      this.#session += 1;
      this.#went(this.#trouble ?? new Error('the connection was closed'));
    });
  }

  /** Whether commands would be sent now. */
  get isUp(): boolean {
    return this.#up;
  }

  /** Why it is not up. */
  get trouble(): string {
    return this.#trouble instanceof Error ? this.#trouble.message : 'not connected yet';
  }

  /** Grows with every new connection. */
  get session(): number {
    return this.#session;
  }

  /** The history of the data at the other end, see `Replication`. */
  get history(): string {
    return this.#history;
  }

  /** The address, `host:port`, that a sentinel named or that was chosen instead; empty without sentinels. */
  get address(): string {
    return this.#address;
  }

  /** Tells of every change from down to up and back, and at once if it is up. */
  watch(watcher: ConnectionWatcher): void {
    this.#watchers.add(watcher);
    if (this.#up) watcher.connected?.();
  }

  /** Runs one command; a connection that does not answer it in time, or that has lost its master, is replaced. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.#up) throw new Error(`not connected: ${this.trouble}`, { cause: this.#trouble });
    const session = this.#session;
    try {
      return await command(this.client);
    } catch (cause) {
      // Not Redis' answer, and yet the connection looks well: it hangs, and whatever is sent on it would wait as long.
      const useless = !isReply(cause) || replyCode(cause) === 'READONLY';
      if (useless && session === this.#session) this.replace(cause);
      throw cause;
    }
  }

  /** Replaces the connection unless the other end answers, is a master still and has the history that it had. */
  async verify(): Promise<void> {
    if (!this.#up) return;
    const session = this.#session;
    try {
      const { isMaster, history } = readReplication(await this.run((client) => client.info('replication')));
      if (session !== this.#session || (isMaster && history === this.#history)) return;
      this.replace(new Error(isMaster ? 'the data there is another than before' : NO_MASTER));
    } catch {
      // `run` has seen to it, or Redis refuses to say, which it will do again to the next connection.
    }
  }

  /** Gives up the connection and makes a new one. */
  replace(cause: unknown): void {
    if (!this.#up) return;
    this.#went(cause);
    this.#disconnect(true);
  }

  /** Ends it for good; resolves once the socket is closed. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#patience);
    const ended = new Promise<void>((resolve) => this.client.once('end', resolve));
    this.#disconnect(false);
    // Between two attempts to connect there is no socket, and ioredis reports no end.
    if (this.client.status !== 'reconnecting' && this.client.status !== 'end') await ended;
    this.#went(new Error('the broker is closed'));
  }

  /** Asks a new connection what it has led to; only a master is of use. */
  async #greet(session: number): Promise<void> {
    let failure: unknown;
    try {
      const { isMaster, history } = readReplication(await this.client.info('replication'));
      if (session !== this.#session || this.#closing) return;
      const isFormer = this.#redirect(this.#address) !== undefined;
      if (isMaster && !isFormer) return this.#came(history);
      failure = new Error(isMaster ? FORMER_MASTER : NO_MASTER);
    } catch (cause) {
      failure = cause;
    }
    if (session !== this.#session || this.#closing) return;
    this.#failed(failure);
    // It may become one, or another may take its address, but not at once.
    this.#patience = setTimeout(() => {
      if (session === this.#session) this.#disconnect(true);
    }, GREET_AGAIN_MS);
  }

  #choose(named: string): Address | null {
    const instead = this.#redirect(named);
    this.#address = instead ? `${instead.host}:${instead.port}` : named;
    return instead ?? null;
  }

  #disconnect(reconnect: boolean): void {
    ignoreLateErrors(this.client);
    this.client.disconnect(reconnect);
  }

  #came(history: string): void {
    this.#up = true;
    this.#history = history;
    this.#trouble = undefined;
    for (const watcher of this.#watchers) watcher.connected?.();
  }

  #failed(cause: unknown): void {
    if (this.#up) {
      // ioredis has lost count of its replies, or the socket is about to close.
      this.replace(cause);
      return;
    }
    this.#trouble = cause;
    if (!this.#closing) for (const watcher of this.#watchers) watcher.failed?.(cause);
  }

  #went(cause: unknown): void {
    if (!this.#up) return;
    this.#up = false;
    this.#trouble = cause;
    // What was asked for is no news to an operator.
    if (!this.#closing) for (const watcher of this.#watchers) watcher.failed?.(cause);
    for (const watcher of this.#watchers) watcher.disconnected?.();
  }
}

/** Where to go instead of the address, `host:port`, that a sentinel names; undefined where that is the right one. */
export type Redirect = (named: string) => Address | undefined;

export interface ConnectionWatcher {
  /** A new connection: nothing is subscribed on it. */
  connected?(): void;
  disconnected?(): void;
  /** It broke, or an attempt to connect failed. */
  failed?(cause: unknown): void;
}

const NO_MASTER = 'the server is a replica';
const FORMER_MASTER = 'the sentinels have named another master';
const GREET_AGAIN_MS = 500;
