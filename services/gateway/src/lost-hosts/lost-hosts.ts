import type { Cancel, Clock } from '@listen-gateway/core';
import { type ConnectionEnds, connectionKey, retransmitting } from './tcp-table.ts';

/** A stream's connection. */
export interface WatchedConnection {
  readonly ends: ConnectionEnds;
  /** Destroys it. */
  cut(): void;
}

export interface LostHostsOptions {
  readonly clock: Clock;
  /** The period of the keepalives: the bytes that a lost host leaves unacknowledged. */
  readonly keepaliveMs: number;
  /** The kernel's tables of connections; rejects where there are none. */
  readonly readTables: () => Promise<readonly string[]>;
  /** Told of each connection that is given up. */
  readonly onLost: () => void;
  readonly onFault: (cause: unknown) => void;
}

/**
 * Finds the hosts that are no longer there although nobody said so: a laptop that was closed, a cable that was pulled.
 * Their streams would else be held for a quarter of an hour, until the kernel gives up. A keepalive to such a host is
 * sent anew again and again; a connection that is in that state for most of a period is cut, so that a lost host is
 * gone within two keepalives.
 *
 * Node cannot set TCP_USER_TIMEOUT, which would do this in the kernel, and TCP keepalive does nothing while bytes are
 * under way.
 */
export class LostHosts {
  readonly #options: LostHostsOptions;
  readonly #watched = new Set<WatchedConnection>();
  /** Since when a connection is not answered, in milliseconds of the clock. */
  #silentSince = new Map<WatchedConnection, number>();
  #cancel: Cancel | undefined;

  constructor(options: LostHostsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel ??= this.#options.clock.after(this.#checkMs, this.#tick);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  watch(connection: WatchedConnection): void {
    this.#watched.add(connection);
  }

  forget(connection: WatchedConnection): void {
    this.#watched.delete(connection);
    this.#silentSince.delete(connection);
  }

  /** Reads the tables once. */
  async check(): Promise<void> {
    if (this.#watched.size === 0) return;
    const tables = await this.#options.readTables();
    const silent = new Set(tables.flatMap((table) => [...retransmitting(table)]));
    const now = this.#options.clock.now();
    const silentSince = new Map<WatchedConnection, number>();
    if (silent.size > 0) {
      for (const connection of this.#watched) {
        const key = connectionKey(connection.ends);
        if (key === undefined || !silent.has(key)) continue;
        silentSince.set(connection, this.#silentSince.get(connection) ?? now);
      }
    }
    this.#silentSince = silentSince;
    for (const [connection, since] of silentSince) {
      if (now - since < this.#lostMs) continue;
      this.#options.onLost();
      connection.cut();
    }
  }

  get #checkMs(): number {
    return this.#options.keepaliveMs * CHECK_SHARE;
  }

  get #lostMs(): number {
    return this.#options.keepaliveMs * LOST_SHARE;
  }

  readonly #tick = (): void => {
    this.check().then(this.#again, (cause) => {
      // A machine without such tables: nothing here will ever work, and nothing else depends on it.
      this.#options.onFault(cause);
      this.stop();
    });
  };

  readonly #again = (): void => {
    if (this.#cancel !== undefined) this.#cancel = this.#options.clock.after(this.#checkMs, this.#tick);
  };
}

/**
 * A keepalive leaves within one period of the loss; it takes up to one check to see it unanswered, LOST_SHARE of a
 * period to be sure, and one more check to act: two periods in all.
 */
const CHECK_SHARE = 0.2;
const LOST_SHARE = 0.6;
