import { BrokerError, type BrokerListener, type Detach } from '@listen-gateway/core';

interface Waiting {
  readonly listener: BrokerListener;
  readonly deadline: NodeJS.Timeout;
  resolve(detach: Detach): void;
  reject(error: BrokerError): void;
}

/** Attaches that are not certain yet. Each leaves by `admit`, by `refuse` or when its time is over. */
export class WaitingRoom {
  readonly #timeoutMs: number;
  readonly #onTimeout: () => void;
  readonly #waiting = new Set<Waiting>();

  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#waiting.size;
  }

  wait(listener: BrokerListener, forWhat: string): Promise<Detach> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new BrokerError('BROKER_UNAVAILABLE', `waited ${this.#timeoutMs} ms in vain for ${forWhat}`));
        this.#onTimeout();
      }, this.#timeoutMs);
      const waiting: Waiting = { listener, deadline, resolve, reject };
      this.#waiting.add(waiting);
    });
  }

  /** Lets everybody in. */
  admit(add: (listener: BrokerListener) => Detach): void {
    for (const { listener, resolve } of this.#leave()) resolve(add(listener));
  }

  /** Sends everybody away. */
  refuse(error: BrokerError): void {
    for (const { reject } of this.#leave()) reject(error);
  }

  #leave(): Waiting[] {
    const leaving = [...this.#waiting];
    this.#waiting.clear();
    for (const { deadline } of leaving) clearTimeout(deadline);
    return leaving;
  }
}
