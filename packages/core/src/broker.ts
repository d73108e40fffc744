import type { Published, ServerId } from '@listen-gateway/protocol';

/** Stops delivery to one listener at once; calling it again does nothing. */
export type Detach = () => void;

/** Hears of one server's changes. Neither method may throw. */
export interface BrokerListener {
  /** In publish order; never called after its `Detach`. The broker took the change `ageMs` ago, by its own clock; never negative. */
  change(change: Published, ageMs: number): void;
  /** Changes may have been missed and cannot be read again; what follows is complete once more. */
  gap(): void;
}

/** Proof that the broker has a change. */
export interface Receipt {
  /** The change's place in the server's journal; grows with each change. */
  readonly journalId: string;
  /** How many instances the broker handed the change to at that moment. */
  readonly instances: number;
}

/** Makes a repeated publish happen once. */
export interface Idempotency {
  /** Chosen by the backend, 1–255 characters; scoped to the server. */
  readonly key: string;
  /** Digest of what is published; the same key with another digest is refused. */
  readonly fingerprint: string;
}

export type PublishOutcome =
  | { readonly kind: 'published'; readonly receipts: readonly Receipt[] }
  /** The key was seen before with the same fingerprint: these are the receipts of that time, nothing was published. */
  | { readonly kind: 'replayed'; readonly receipts: readonly Receipt[] }
  /** The key was seen before with another fingerprint: nothing was published. */
  | { readonly kind: 'key-reused' };

export type BrokerStatus = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/**
 * Carries changes between processes. The memory broker is the reference; every broker passes the same contract suite.
 */
export interface Broker {
  /**
   * Resolves once a change published from then on is certain to reach `listener`, through breaks and re-connections,
   * as a change or as a gap. Rejects with `BrokerError` where that cannot be confirmed within 2 s, also when the server
   * was attached before the break. Several listeners of one server share a channel; the channel is left some time
   * after the last detach, so that a newcomer never races the last leaver.
   */
  attach(serverId: ServerId, listener: BrokerListener): Promise<Detach>;
  /**
   * Resolves once the broker has all changes, journaled and published in one atomic step and in order; receipts in the
   * same order. Rejects with `BrokerError` within 2 s otherwise; nothing is parked and delivered later.
   */
  publish(serverId: ServerId, changes: readonly Published[], idempotency?: Idempotency): Promise<PublishOutcome>;
  /** Whether an attach and a publish would work now. */
  status(): BrokerStatus;
  /** Leaves every channel; pending calls reject. Closing twice is fine. */
  close(): Promise<void>;
}

/** The one error of a broker; what happened is in `cause`. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly code: 'BROKER_UNAVAILABLE' | 'BROKER_CLOSED';

  constructor(code: BrokerError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
