import type { Published, ServerId } from '@listen-gateway/protocol';
import {
  type Broker,
  BrokerError,
  type BrokerListener,
  type BrokerStatus,
  type Detach,
  type Idempotency,
  type PublishOutcome,
  type Receipt,
} from './broker.ts';
import type { Clock } from './clock.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { Journal, type JournalBounds, type JournalEntry } from './journal.ts';

export interface MemoryBrokerOptions {
  readonly clock: Clock;
  readonly journal?: JournalBounds;
  readonly idempotency?: { readonly ttlMs: number; readonly keys: number };
  /** Told of a listener that threw, which a listener may not. */
  readonly onFault?: (cause: unknown) => void;
}

interface Channel {
  readonly journal: Journal;
  /** An object for each attach, because one listener may attach twice. */
  readonly attached: Set<{ readonly listener: BrokerListener }>;
  /** Published and not yet delivered; longer than one batch only if a listener publishes. */
  readonly undelivered: Taken[];
  delivering: boolean;
}

interface Taken {
  readonly change: Published;
  readonly takenAt: number;
}

const DEFAULT_JOURNAL: JournalBounds = { length: 1_000, ageMs: 60 * 60_000 };
const DEFAULT_IDEMPOTENCY = { ttlMs: 60 * 60_000, keys: 10_000 };

/**
 * The reference broker: one process, nothing to break. Delivers inside `publish`, before it resolves. The channel of a
 * server stays once it was named, so that its journal ids keep growing.
 */
export class MemoryBroker implements Broker {
  readonly #clock: Clock;
  readonly #journalBounds: JournalBounds;
  readonly #onFault: (cause: unknown) => void;
  readonly #keys: IdempotencyKeys;
  readonly #channels = new Map<ServerId, Channel>();
  #closed = false;

  constructor(options: MemoryBrokerOptions) {
    this.#clock = options.clock;
    this.#journalBounds = options.journal ?? DEFAULT_JOURNAL;
    this.#onFault = options.onFault ?? (() => {});
    this.#keys = new IdempotencyKeys(options.clock, options.idempotency ?? DEFAULT_IDEMPOTENCY);
  }

  async attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    this.#assertOpen(`attach to ${serverId}`);
    const { attached } = this.#channel(serverId);
    const attachment = { listener };
    attached.add(attachment);
    return () => attached.delete(attachment);
  }

  async publish(serverId: ServerId, changes: readonly Published[], idempotency?: Idempotency): Promise<PublishOutcome> {
    this.#assertOpen(`publish for ${serverId}`);
    const earlier = idempotency && this.#keys.find(serverId, idempotency);
    if (earlier) return earlier;
    const channel = this.#channel(serverId);
    const receipts: Receipt[] = changes.map((change) => ({
      journalId: channel.journal.append(change),
      instances: channel.attached.size > 0 ? 1 : 0,
    }));
    if (idempotency) this.#keys.keep(serverId, idempotency, receipts);
    this.#deliver(channel, changes);
    return { kind: 'published', receipts };
  }

  /** What was published for a server lately, oldest first. */
  journal(serverId: ServerId): readonly JournalEntry[] {
    return this.#channels.get(serverId)?.journal.entries() ?? [];
  }

  status(): BrokerStatus {
    return this.#closed ? { ready: false, reason: 'the broker is closed' } : { ready: true };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { attached, undelivered } of this.#channels.values()) {
      attached.clear();
      undelivered.length = 0;
    }
  }

  #assertOpen(attempt: string): void {
    if (this.#closed) throw new BrokerError('BROKER_CLOSED', `cannot ${attempt}: the broker is closed`);
  }

  #channel(serverId: ServerId): Channel {
    let channel = this.#channels.get(serverId);
    if (channel === undefined) {
      const journal = new Journal(this.#clock, this.#journalBounds);
      channel = { journal, attached: new Set(), undelivered: [], delivering: false };
      this.#channels.set(serverId, channel);
    }
    return channel;
  }

  #deliver(channel: Channel, changes: readonly Published[]): void {
    const takenAt = this.#clock.now();
    for (const change of changes) channel.undelivered.push({ change, takenAt });
    // A listener that publishes would otherwise reach the listeners after it with the newer change first.
    if (channel.delivering) return;
    channel.delivering = true;
    for (let taken = channel.undelivered.shift(); taken; taken = channel.undelivered.shift()) {
      for (const attachment of [...channel.attached]) {
        if (channel.attached.has(attachment)) this.#tell(attachment.listener, taken);
      }
    }
    channel.delivering = false;
  }

  #tell(listener: BrokerListener, { change, takenAt }: Taken): void {
    try {
      listener.change(change, this.#clock.now() - takenAt);
    } catch (cause) {
      this.#onFault(cause);
    }
  }
}
