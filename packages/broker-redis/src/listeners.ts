import type { BrokerListener, Detach } from '@listen-gateway/core';

/** Who hears of one server. */
export class Listeners {
  readonly #onFault: (cause: unknown) => void;
  readonly #onLeft: () => void;
  /** An object for each attach, because one listener may attach twice. */
  readonly #attached = new Set<{ readonly listener: BrokerListener }>();

  constructor(onFault: (cause: unknown) => void, onLeft: () => void) {
    this.#onFault = onFault;
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#attached.size;
  }

  add(listener: BrokerListener): Detach {
    const attachment = { listener };
    this.#attached.add(attachment);
    return () => {
      if (this.#attached.delete(attachment)) this.#onLeft();
    };
  }

  clear(): void {
    this.#attached.clear();
  }

  /** Tells those who are attached now, but for those who leave meanwhile. */
  tell(tell: (listener: BrokerListener) => void): void {
    for (const attachment of [...this.#attached]) {
      if (!this.#attached.has(attachment)) continue;
      try {
        tell(attachment.listener);
      } catch (cause) {
        this.#onFault(cause);
      }
    }
  }
}
