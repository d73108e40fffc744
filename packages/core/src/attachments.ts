import type { ServerId } from '@listen-gateway/protocol';
import type { Broker, BrokerListener, Detach } from './broker.ts';

interface Attachment {
  streams: number;
  detach: Detach | undefined;
  pending: Promise<void> | undefined;
}

/**
 * Which servers this instance hears of: those it has streams for and no others (INS-01). One attach serves all streams
 * of a server.
 */
export class Attachments {
  readonly #broker: Broker;
  readonly #listenerFor: (serverId: ServerId) => BrokerListener;
  readonly #attachments = new Map<ServerId, Attachment>();

  constructor(broker: Broker, listenerFor: (serverId: ServerId) => BrokerListener) {
    this.#broker = broker;
    this.#listenerFor = listenerFor;
  }

  /** How many servers are attached or about to be. */
  get size(): number {
    return this.#attachments.size;
  }

  /**
   * Resolves once a change of the server published from then on is certain to arrive; rejects with `BrokerError`.
   * Each call, also one that rejected, is matched by one `release`.
   */
  acquire(serverId: ServerId): Promise<void> {
    const attachment = this.#attachments.get(serverId) ?? { streams: 0, detach: undefined, pending: undefined };
    this.#attachments.set(serverId, attachment);
    attachment.streams += 1;
    if (attachment.detach === undefined) {
      attachment.pending ??= this.#attach(serverId, attachment);
      return attachment.pending;
    }
    return this.#broker.status().ready ? CONFIRMED : this.#confirmAgain(serverId);
  }

  release(serverId: ServerId): void {
    const attachment = this.#attachments.get(serverId);
    if (attachment === undefined) return;
    attachment.streams -= 1;
    if (attachment.streams > 0) return;
    this.#attachments.delete(serverId);
    attachment.detach?.();
  }

  async #attach(serverId: ServerId, attachment: Attachment): Promise<void> {
    try {
      const detach = await this.#broker.attach(serverId, this.#listenerFor(serverId));
      // Every stream may have left while the broker was confirming.
      if (attachment.streams === 0) detach();
      else attachment.detach = detach;
    } finally {
      attachment.pending = undefined;
    }
  }

  /** Attached before the broker broke: a new stream may be acknowledged only once the broker confirms anew. */
  async #confirmAgain(serverId: ServerId): Promise<void> {
    const detach = await this.#broker.attach(serverId, SILENT);
    detach();
  }
}

const CONFIRMED = Promise.resolve();
const SILENT: BrokerListener = { change: () => {}, gap: () => {} };
