import type { ServerId } from '@listen-gateway/protocol';
import type { Idempotency, PublishOutcome, Receipt } from './broker.ts';
import type { Clock } from './clock.ts';

interface Kept {
  readonly fingerprint: string;
  readonly receipts: readonly Receipt[];
  readonly expiresAt: number;
}

/** Remembers what was published under which key, for a time and up to a number of keys; the oldest goes first. */
export class IdempotencyKeys {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #bound: number;
  /** In order of expiry, since every key lives equally long. */
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, bounds: { readonly ttlMs: number; readonly keys: number }) {
    this.#clock = clock;
    this.#ttlMs = bounds.ttlMs;
    this.#bound = bounds.keys;
  }

  /** What a publish under this key comes to without publishing anything; undefined for a key that is new. */
  find(serverId: ServerId, { key, fingerprint }: Idempotency): PublishOutcome | undefined {
    this.#expire();
    const kept = this.#kept.get(scoped(serverId, key));
    if (kept === undefined) return undefined;
    if (kept.fingerprint !== fingerprint) return { kind: 'key-reused' };
    return { kind: 'replayed', receipts: kept.receipts };
  }

  keep(serverId: ServerId, { key, fingerprint }: Idempotency, receipts: readonly Receipt[]): void {
    const expiresAt = this.#clock.now() + this.#ttlMs;
    this.#kept.set(scoped(serverId, key), { fingerprint, receipts, expiresAt });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#bound) break;
      this.#kept.delete(oldest);
    }
  }

  #expire(): void {
    for (const [key, { expiresAt }] of this.#kept) {
      if (expiresAt > this.#clock.now()) break;
      this.#kept.delete(key);
    }
  }
}

/** A server id holds no space, so no two pairs meet in one text. */
function scoped(serverId: ServerId, key: string): string {
  return `${serverId} ${key}`;
}
