import { MemoryBroker } from '@listen-gateway/core';
import { systemClock } from '@listen-gateway/service-kit';

/** A broker whose publish fails, or waits, as a test wants; `before` is given the idempotency key. */
export class OddBroker extends MemoryBroker {
  readonly #before: (key: string | undefined) => Promise<void>;

  constructor(before: (key: string | undefined) => Promise<void>) {
    super({ clock: systemClock });
    this.#before = before;
  }

  override async publish(...published: Parameters<MemoryBroker['publish']>) {
    await this.#before(published[2]?.key);
    return super.publish(...published);
  }
}
