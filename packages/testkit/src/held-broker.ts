import {
  type Broker,
  BrokerError,
  type BrokerListener,
  type BrokerStatus,
  type Detach,
  type Idempotency,
  type PublishOutcome,
} from '@listen-gateway/core';
import type { Published, ServerId } from '@listen-gateway/protocol';

interface Pending {
  readonly serverId: ServerId;
  readonly confirm: () => void;
  readonly refuse: () => void;
}

/**
 * A broker in front of another that a test can hold back and break. While held, an attach delivers from the moment of
 * the call, as a real channel may, but its confirmation waits for the test: the window that rule SUB-04 is about.
 */
export class HeldBroker implements Broker {
  /** What `status` answers. */
  ready = true;
  /** Attaches that wait for the test, oldest first. */
  readonly pending: Pending[] = [];
  /** How many attaches were asked for in all. */
  attaches = 0;
  readonly #inner: Broker;
  readonly #attached = new Map<BrokerListener, ServerId>();
  #holding = false;

  constructor(inner: Broker) {
    this.#inner = inner;
  }

  /** From now on attaches wait for `confirm` or `refuse`. */
  hold(): void {
    this.#holding = true;
  }

  /** Confirms the oldest attach that waits. */
  confirm(): void {
    this.#next().confirm();
  }

  /** Fails the oldest attach that waits. */
  refuse(): void {
    this.#next().refuse();
  }

  /** How many listeners hear of a server now. */
  attached(serverId: ServerId): number {
    return [...this.#attached.values()].filter((attached) => attached === serverId).length;
  }

  /** Reports a gap to every listener of a server. */
  gap(serverId: ServerId): void {
    for (const [listener, attached] of this.#attached) if (attached === serverId) listener.gap();
  }

  async attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    this.attaches += 1;
    const heard: BrokerListener = {
      change: (change, ageMs) => listener.change(change, ageMs),
      gap: () => listener.gap(),
    };
    this.#attached.set(heard, serverId);
    const attaching = this.#inner.attach(serverId, heard);
    const verdict = this.#holding ? await this.#verdict(serverId) : 'confirmed';
    const innerDetach = await attaching;
    const detach: Detach = () => {
      this.#attached.delete(heard);
      innerDetach();
    };
    if (verdict === 'confirmed') return detach;
    detach();
    throw new BrokerError('BROKER_UNAVAILABLE', `the test refused to attach ${serverId}`);
  }

  publish(serverId: ServerId, changes: readonly Published[], idempotency?: Idempotency): Promise<PublishOutcome> {
    return this.#inner.publish(serverId, changes, idempotency);
  }

  status(): BrokerStatus {
    return this.ready ? this.#inner.status() : { ready: false, reason: 'the test broke it' };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #verdict(serverId: ServerId): Promise<'confirmed' | 'refused'> {
    return new Promise((resolve) => {
      this.pending.push({ serverId, confirm: () => resolve('confirmed'), refuse: () => resolve('refused') });
    });
  }

  #next(): Pending {
    const next = this.pending.shift();
    if (next === undefined) throw new Error('no attach waits');
    return next;
  }
}
