import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';
import type { PubSub } from './pub-sub.ts';
import type { RedisSettings } from './redis-options.ts';
import { isElsewhere, isReply } from './reply-error.ts';
import { Subscription, type SubscriptionOwner } from './subscription.ts';

/** The master whose connections are tried. */
export interface Probed {
  readonly commands: Connection;
  readonly receive: Connection;
  readonly pubSub: PubSub;
  /** Whether this master is in charge of a channel or key. */
  owns(name: string): boolean;
  /** It turned out that it is not. */
  misrouted(): void;
}

interface Sent {
  readonly nonce: string;
  readonly sentAt: number;
  published: boolean;
  late: boolean;
}

/**
 * Asks the other end of each connection to a master whether it is what it was, and publishes to a channel of this
 * instance alone and expects it back. A receive connection that has gone deaf looks well to TCP for many minutes; this
 * finds out within three rounds and has it replaced, which brings a catch-up.
 */
export class Probe implements SubscriptionOwner {
  readonly #probed: Probed;
  readonly #settings: RedisSettings;
  readonly #round: NodeJS.Timeout;
  #tag: string;
  #subscription: Subscription;
  #sent: Sent | undefined;
  #refusal: string | undefined;
  #closed = false;

  constructor(probed: Probed, settings: RedisSettings) {
    this.#probed = probed;
    this.#settings = settings;
    this.#tag = this.#chooseTag();
    this.#subscription = new Subscription(this.channel, this, undefined);
    this.#round = setInterval(() => this.#tick(), settings.probeMs);
    probed.receive.watch({
      connected: () => {
        this.#sent = undefined;
        this.#subscription.connected(probed.pubSub.wire);
      },
      disconnected: () => this.#subscription.disconnected(),
    });
  }

  get channel(): string {
    return `${this.#tag}:probe`;
  }

  /** Why messages may not arrive. */
  get trouble(): string | undefined {
    return this.#subscription.isOn ? this.#refusal : `${this.channel} is not subscribed`;
  }

  message(payload: string): void {
    if (payload !== this.#sent?.nonce) return;
    this.#settings.observer.probed?.(performance.now() - this.#sent.sentAt);
    this.#sent = undefined;
  }

  /** Slots have moved, perhaps the one of the channel. */
  rerouted(): void {
    const { receive, pubSub } = this.#probed;
    if (this.#closed || this.#probed.owns(this.channel)) return;
    this.#subscription.disconnected();
    this.#sent = undefined;
    this.#tag = this.#chooseTag();
    this.#subscription = new Subscription(this.channel, this, receive.isUp ? pubSub.wire : undefined);
    this.#subscription.settle();
  }

  /** The server has taken the channel off the connection. */
  takenOff(): void {
    this.#subscription.takenOff();
  }

  wanted(): boolean {
    return !this.#closed;
  }

  confirmed(): void {}

  refused(cause: unknown): void {
    this.#settings.observer.refused?.(this.channel, cause);
  }

  misrouted(): void {
    this.#probed.misrouted();
  }

  over(): void {}

  close(): void {
    this.#closed = true;
    clearInterval(this.#round);
    this.#subscription.disconnected();
  }

  /** A name that hashes to a slot of this master; one in as many tries as there are masters is. */
  #chooseTag(): string {
    let tag = '';
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      tag = `${this.#settings.prefix}{probe-${randomUUID()}}`;
      if (this.#probed.owns(`${tag}:probe`)) break;
    }
    return tag;
  }

  #tick(): void {
    const { commands, receive } = this.#probed;
    void commands.verify();
    void receive.verify();
    if (!this.#subscription.isOn || !commands.isUp) this.#sent = undefined;
    else if (this.#sent === undefined) this.#send();
    // Two rounds: after the event loop was blocked, a timer runs before the socket that holds the probe is read.
    else if (this.#sent.late) receive.replace(new Error('nothing arrives: a probe did not come back'));
    else this.#sent.late = this.#sent.published;
  }

  #send(): void {
    const { commands, pubSub } = this.#probed;
    const sent: Sent = { nonce: randomUUID(), sentAt: performance.now(), published: false, late: false };
    this.#sent = sent;
    Promise.all([
      // A node that the rest of its cluster has given up publishes, but serves no key; and a catch-up needs more rights.
      commands.run((client) => client.tryRead(`${this.#tag}:journal`, `${this.#tag}:last`)),
      commands.run((client) => client.call(pubSub.verb, this.channel, sent.nonce)),
    ]).then(
      () => {
        sent.published = true;
        this.#refusal = undefined;
      },
      (cause) => this.#unsent(sent, cause),
    );
  }

  /** Where Redis did not answer, the commands connection is to blame, and sees to itself. */
  #unsent(sent: Sent, cause: unknown): void {
    if (this.#sent === sent) this.#sent = undefined;
    if (isReply(cause)) this.#refusal = `Redis refuses a probe: ${cause.message}`;
    if (isElsewhere(cause)) this.#probed.misrouted();
  }
}

/** Enough to meet a master's only slot with near certainty. */
const MOST_TRIES = 200_000;
