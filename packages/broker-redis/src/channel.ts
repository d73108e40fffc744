import { BrokerError, type BrokerListener, type Detach } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { CatchUpReader } from './catch-up.ts';
import { beginRead, type Continuity, followMessage, followPage, type Page, resume, type Step } from './continuity.ts';
import { ageOf, type JournalEntry, type JournalId } from './journal-entry.ts';
import { Listeners } from './listeners.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisSettings } from './redis-options.ts';
import { Subscription, type SubscriptionOwner, type Wire } from './subscription.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface ChannelOwner {
  /** Has the channel's journal read. */
  read(channel: Channel): void;
  /** Nobody wants the channel any more and nothing is subscribed. */
  over(channel: Channel): void;
  /** Another master is in charge of the channel. */
  misrouted(): void;
}

/** The server of a channel, and the connection that is there for it at the beginning. */
export interface ChannelPlace {
  readonly serverId: ServerId;
  readonly keys: RedisKeys;
  readonly wire: Wire | undefined;
}

/** One server's changes on this instance: who listens, and how far they are. */
export class Channel implements CatchUpReader, SubscriptionOwner {
  readonly serverId: ServerId;
  readonly keys: RedisKeys;
  readonly subscription: Subscription;
  readonly #owner: ChannelOwner;
  readonly #settings: RedisSettings;
  readonly #listeners: Listeners;
  readonly #waitingRoom: WaitingRoom;
  #continuity: Continuity | undefined;
  /** Of the data at the end that the last messages came from; undefined where none of them can be missing. */
  #history: string | undefined;
  #linger: NodeJS.Timeout | undefined;
  #refused = false;

  constructor({ serverId, keys, wire }: ChannelPlace, owner: ChannelOwner, settings: RedisSettings) {
    this.serverId = serverId;
    this.keys = keys;
    this.#owner = owner;
    this.#settings = settings;
    this.#listeners = new Listeners(
      (cause) => settings.observer.fault?.(cause),
      () => this.#startLinger(),
    );
    this.#waitingRoom = new WaitingRoom(settings.attachTimeoutMs, () => this.subscription.settle());
    this.subscription = new Subscription(keys.channel, this, wire);
  }

  /** Resolves at once where the channel is live, else when it is. */
  attach(listener: BrokerListener): Promise<Detach> {
    if (this.#isLive) return Promise.resolve(this.#listeners.add(listener));
    const certain = this.#waitingRoom.wait(listener, `Redis to confirm ${this.keys.channel}`);
    this.subscription.settle();
    return certain;
  }

  /** Why its listeners may be behind or new ones would be refused. */
  get trouble(): string | undefined {
    if (this.#refused) return `Redis refuses to subscribe to ${this.keys.channel}`;
    if (this.#listeners.size > 0 && !this.subscription.isOn) return `${this.keys.channel} is not subscribed`;
    return undefined;
  }

  message(entry: JournalEntry): void {
    // A message can overtake the confirmation of its subscription; the read that follows brings the change.
    if (this.#continuity) this.#take(followMessage(this.#continuity, entry, this.#settings.heldMessages));
  }

  get wantsRead(): boolean {
    return this.subscription.isOn && this.#continuity?.phase === 'reading';
  }

  beginRead(): JournalId | undefined {
    if (this.#continuity?.phase !== 'reading') return undefined;
    this.#continuity = beginRead(this.#continuity);
    return this.#continuity.lastSeen;
  }

  page(page: Page): number {
    if (this.#continuity?.phase !== 'reading') return 0;
    const step = followPage(this.#continuity, page);
    this.#take(step);
    return step.deliver.length;
  }

  wanted(): boolean {
    return this.#listeners.size > 0 || this.#waitingRoom.size > 0 || this.#linger !== undefined || this.#refused;
  }

  confirmed(history: string): void {
    this.#refused = false;
    // What was accepted while this instance was away may have been lost with the data that it belonged to, and an id
    // that nobody has seen leaves no trace: the new data looks as if nothing had happened.
    const doubted = this.#history !== undefined && this.#history !== history;
    this.#history = history;
    this.#continuity = resume(this.#continuity, doubted);
    this.#owner.read(this);
  }

  /** A master that hands a channel over was well until then, and its last messages have arrived: nothing to doubt. */
  takenOff(): void {
    this.#history = undefined;
    this.subscription.takenOff();
  }

  misrouted(): void {
    this.#owner.misrouted();
  }

  refused(cause: unknown): void {
    // Wanted from now on even if nobody waits: else nobody would find out when it is allowed again.
    this.#refused = true;
    this.#settings.observer.refused?.(this.keys.channel, cause);
    const message = `Redis refuses to subscribe to ${this.keys.channel}`;
    this.#waitingRoom.refuse(new BrokerError('BROKER_UNAVAILABLE', message, { cause }));
  }

  over(): void {
    this.#owner.over(this);
  }

  close(error: BrokerError): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#refused = false;
    this.#listeners.clear();
    this.#waitingRoom.refuse(error);
    this.subscription.disconnected();
  }

  get #isLive(): boolean {
    return this.subscription.isOn && this.#continuity?.phase === 'live';
  }

  #take({ state, gap, deliver }: Step): void {
    this.#continuity = state;
    if (gap) {
      this.#settings.observer.gap?.(this.serverId);
      this.#listeners.tell((listener) => listener.gap());
    }
    for (const { id, change } of deliver) {
      const ageMs = ageOf(id);
      if (change) this.#listeners.tell((listener) => listener.change(change, ageMs));
      else this.#settings.observer.badPayload?.(this.serverId);
    }
    if (this.wantsRead) this.#owner.read(this);
    if (this.#isLive) this.#waitingRoom.admit((listener) => this.#listeners.add(listener));
  }

  /** The last leaver is often followed by a newcomer, so the channel is left a while later. */
  #startLinger(): void {
    if (this.#listeners.size > 0) return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => {
      this.#linger = undefined;
      this.subscription.settle();
    }, this.#settings.lingerMs);
  }
}
