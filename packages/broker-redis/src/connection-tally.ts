import type { Connection } from './connection.ts';
import type { ConnectionRole, RedisObserver } from './redis-observer.ts';

/** Tells the observer of all connections of a role as if they were one: up when all are, down whenever one is not. */
export class ConnectionTally {
  readonly #observer: RedisObserver;
  readonly #down = new Map<ConnectionRole, Set<Connection>>();

  constructor(observer: RedisObserver) {
    this.#observer = observer;
  }

  /** `where` says which one it is, where there are several. */
  add(connection: Connection, where: string | undefined): void {
    const { role } = connection;
    const down = this.#of(role).add(connection);
    connection.watch({
      connected: () => this.#leave(role, down, connection),
      failed: (cause) => {
        down.add(connection);
        this.#observer.disconnected?.(role, where === undefined ? cause : located(cause, where));
      },
    });
  }

  /** It is not needed any more. */
  remove(connection: Connection): void {
    this.#leave(connection.role, this.#of(connection.role), connection);
  }

  #of(role: ConnectionRole): Set<Connection> {
    const down = this.#down.get(role) ?? new Set();
    this.#down.set(role, down);
    return down;
  }

  #leave(role: ConnectionRole, down: Set<Connection>, connection: Connection): void {
    if (down.delete(connection) && down.size === 0) this.#observer.connected?.(role);
  }
}

function located(cause: unknown, where: string): Error {
  return new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
