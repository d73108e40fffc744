import { isElsewhere, isReply } from './reply-error.ts';

/** How one channel is joined and left on a receive connection. */
export interface Wire {
  /** The history of the data at the other end, see `Replication`. */
  readonly history: string;
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
}

export interface SubscriptionOwner {
  /** Whether the channel should be subscribed; asked again after each step. */
  wanted(): boolean;
  /** From now on every message arrives; those of before may be missing. */
  confirmed(history: string): void;
  /** Redis said no; it is asked again from time to time, and at once by `settle`. */
  refused(cause: unknown): void;
  /** Another master is in charge of the channel. */
  misrouted(): void;
  /** Nothing is subscribed and nothing wanted. */
  over(): void;
}

/** Keeps one channel subscribed while it is wanted. One step at a time, so that a newcomer never races the last leaver. */
export class Subscription {
  readonly #channel: string;
  readonly #owner: SubscriptionOwner;
  #phase: 'off' | 'joining' | 'on' | 'leaving' = 'off';
  /** Undefined while there is no connection. */
  #wire: Wire | undefined;
  /** Tells an answer on an earlier connection from one on this. */
  #epoch = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(channel: string, owner: SubscriptionOwner, wire: Wire | undefined) {
    this.#channel = channel;
    this.#owner = owner;
    this.#wire = wire;
  }

  get isOn(): boolean {
    return this.#phase === 'on';
  }

  /** A new connection, on which nothing is subscribed. */
  connected(wire: Wire): void {
    this.#begin(wire);
    this.settle();
  }

  disconnected(): void {
    this.#begin(undefined);
    this.settle();
  }

  /** The server has ended the subscription; it is tried again here unless another connection comes first. */
  takenOff(): void {
    this.#begin(this.#wire);
    this.#retryLater();
  }

  /** Compares what is with what is wanted, and takes the next step if they differ. Call it when `wanted` may have changed. */
  settle(): void {
    const wanted = this.#owner.wanted();
    if (this.#phase === 'off' && !wanted) {
      clearTimeout(this.#retry);
      this.#owner.over();
    } else if (this.#phase === 'off' && this.#wire) {
      clearTimeout(this.#retry);
      void this.#join(this.#wire, this.#epoch);
    } else if (this.#phase === 'on' && this.#wire && !wanted) {
      void this.#leave(this.#wire, this.#epoch);
    }
  }

  #begin(wire: Wire | undefined): void {
    this.#wire = wire;
    this.#epoch += 1;
    this.#phase = 'off';
    clearTimeout(this.#retry);
  }

  /** Never rejects. */
  async #join(wire: Wire, epoch: number): Promise<void> {
    this.#phase = 'joining';
    const failure = await outcome(wire.subscribe(this.#channel));
    if (epoch !== this.#epoch) return;
    if (failure) {
      this.#phase = 'off';
      this.#retryLater();
      if (isElsewhere(failure.cause)) this.#owner.misrouted();
      else if (isReply(failure.cause)) this.#owner.refused(failure.cause);
      return;
    }
    this.#phase = 'on';
    this.#owner.confirmed(wire.history);
    this.settle();
  }

  /** Never rejects. A channel that cannot be left is forgotten: its messages find nobody. */
  async #leave(wire: Wire, epoch: number): Promise<void> {
    this.#phase = 'leaving';
    await outcome(wire.unsubscribe(this.#channel));
    if (epoch !== this.#epoch) return;
    this.#phase = 'off';
    this.settle();
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.settle(), RETRY_MS);
  }
}

const RETRY_MS = 1_000;

async function outcome(promise: Promise<void>): Promise<{ readonly cause: unknown } | undefined> {
  try {
    await promise;
    return undefined;
  } catch (cause) {
    return { cause };
  }
}
