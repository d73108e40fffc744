import { randomUUID } from 'node:crypto';
import type { Connection, ConnectionWatcher } from './connection.ts';
import type { PubSub } from './pub-sub.ts';
import type { PublishVerb } from './publish-script.ts';
import type { RedisSettings } from './redis-options.ts';
import { Subscription, type SubscriptionOwner } from './subscription.ts';

interface Sent {
  readonly nonce: string;
  published: boolean;
  late: boolean;
}

/**
 * Publishes to a channel of this instance alone and expects it back. A receive connection that has gone deaf looks well
 * to TCP for many minutes; this finds out within three rounds and has it replaced, which brings a catch-up.
 */
export class Probe implements SubscriptionOwner, ConnectionWatcher {
  readonly channel: string;
  readonly #commands: Connection;
  readonly #receive: Connection;
  readonly #settings: RedisSettings;
  readonly #verb: PublishVerb;
  readonly #subscription: Subscription;
  readonly #round: NodeJS.Timeout;
  #sent: Sent | undefined;
  #closed = false;

  constructor(connections: { commands: Connection; receive: Connection }, pubSub: PubSub, settings: RedisSettings) {
    this.channel = `${settings.prefix}{probe-${randomUUID()}}:probe`;
    this.#commands = connections.commands;
    this.#receive = connections.receive;
    this.#settings = settings;
    this.#verb = pubSub.verb;
    this.#subscription = new Subscription(this.channel, pubSub.wire, this, false);
    this.#round = setInterval(() => this.#tick(), settings.probeMs);
    this.#receive.watch(this);
  }

  /** Why messages may not arrive. */
  get trouble(): string | undefined {
    return this.#subscription.isOn ? undefined : `${this.channel} is not subscribed`;
  }

  message(payload: string): void {
    if (payload === this.#sent?.nonce) this.#sent = undefined;
  }

  connected(): void {
    this.#sent = undefined;
    this.#subscription.connected();
  }

  disconnected(): void {
    this.#subscription.disconnected();
  }

  wanted(): boolean {
    return !this.#closed;
  }

  confirmed(): void {}

  refused(cause: unknown): void {
    this.#settings.observer.refused?.(this.channel, cause);
  }

  over(): void {}

  close(): void {
    this.#closed = true;
    clearInterval(this.#round);
    this.#subscription.disconnected();
  }

  #tick(): void {
    if (!this.#subscription.isOn || !this.#commands.isUp) this.#sent = undefined;
    else if (this.#sent === undefined) this.#send();
    // Two rounds: after the event loop was blocked, a timer runs before the socket that holds the probe is read.
    else if (this.#sent.late) this.#receive.replace(new Error('nothing arrives: a probe did not come back'));
    else this.#sent.late = this.#sent.published;
  }

  #send(): void {
    const sent: Sent = { nonce: randomUUID(), published: false, late: false };
    this.#sent = sent;
    this.#commands
      .run((client) => client.call(this.#verb, this.channel, sent.nonce))
      .then(
        () => {
          sent.published = true;
        },
        () => {
          // The commands connection is to blame, and sees to itself.
          if (this.#sent === sent) this.#sent = undefined;
        },
      );
  }
}
