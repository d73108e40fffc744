import { isReply } from './connection.ts';

/** How one channel is joined and left on the receive connection. */
export interface Wire {
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
}

export interface SubscriptionOwner {
  /** Whether the channel should be subscribed; asked again after each step. */
  wanted(): boolean;
  /** From now on every message arrives; those of before may be missing. */
  confirmed(): void;
  /** Redis said no; it is asked again from time to time, and at once by `settle`. */
  refused(cause: unknown): void;
  /** Nothing is subscribed and nothing wanted. */
  over(): void;
}

/** Keeps one channel subscribed while it is wanted. One step at a time, so that a newcomer never races the last leaver. */
export class Subscription {
  readonly #channel: string;
  readonly #wire: Wire;
  readonly #owner: SubscriptionOwner;
  #phase: 'off' | 'joining' | 'on' | 'leaving' = 'off';
  #connected: boolean;
  /** Tells an answer on an earlier connection from one on this. */
  #epoch = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(channel: string, wire: Wire, owner: SubscriptionOwner, connected: boolean) {
    this.#channel = channel;
    this.#wire = wire;
    this.#owner = owner;
    this.#connected = connected;
  }

  get isOn(): boolean {
    return this.#phase === 'on';
  }

  /** A new connection, on which nothing is subscribed. */
  connected(): void {
    this.#begin(true);
  }

  disconnected(): void {
    this.#begin(false);
  }

  /** Compares what is with what is wanted, and takes the next step if they differ. Call it when `wanted` may have changed. */
  settle(): void {
    const wanted = this.#owner.wanted();
    if (this.#phase === 'off' && !wanted) {
      clearTimeout(this.#retry);
      this.#owner.over();
    } else if (this.#phase === 'off' && this.#connected) {
      clearTimeout(this.#retry);
      void this.#join(this.#epoch);
    } else if (this.#phase === 'on' && !wanted) {
      void this.#leave(this.#epoch);
    }
  }

  #begin(connected: boolean): void {
    this.#connected = connected;
    this.#epoch += 1;
    this.#phase = 'off';
    this.settle();
  }

  /** Never rejects. */
  async #join(epoch: number): Promise<void> {
    this.#phase = 'joining';
    const failure = await outcome(this.#wire.subscribe(this.#channel));
    if (epoch !== this.#epoch) return;
    if (failure) {
      this.#phase = 'off';
      this.#retry = setTimeout(() => this.settle(), RETRY_MS);
      if (isReply(failure.cause)) this.#owner.refused(failure.cause);
      return;
    }
    this.#phase = 'on';
    this.#owner.confirmed();
    this.settle();
  }

  /** Never rejects. A channel that cannot be left is forgotten: its messages find nobody. */
  async #leave(epoch: number): Promise<void> {
    this.#phase = 'leaving';
    await outcome(this.#wire.unsubscribe(this.#channel));
    if (epoch !== this.#epoch) return;
    this.#phase = 'off';
    this.settle();
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
