import type { BrokerError, BrokerListener, Detach } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { CatchUps } from './catch-up.ts';
import { Channel, type ChannelOwner } from './channel.ts';
import { readMessage } from './journal-entry.ts';
import { redisKeys } from './redis-keys.ts';
import type { RedisSettings } from './redis-options.ts';
import type { ChannelSource, TopologyWatcher } from './topology.ts';

export interface ReceiverOwner {
  /** The master in charge of a channel; undefined while none is known to be. */
  nodeOf(channel: string): ChannelSource | undefined;
  misrouted(): void;
}

/** A channel, and the master that its changes are received from. */
interface Received {
  readonly channel: Channel;
  node: ChannelSource | undefined;
  /** Set while another master is in charge already and this one has not let go yet. */
  handOver: NodeJS.Timeout | undefined;
}

/** How long a master that is well may take to let go of a channel. */
const HAND_OVER_MS = 500;

/** The channels of this instance, each on the receive connection of the master in charge of it. */
export class Receiver implements ChannelOwner, TopologyWatcher {
  readonly #owner: ReceiverOwner;
  readonly #catchUps: CatchUps;
  readonly #settings: RedisSettings;
  /** By channel name. */
  readonly #received = new Map<string, Received>();

  constructor(owner: ReceiverOwner, catchUps: CatchUps, settings: RedisSettings) {
    this.#owner = owner;
    this.#catchUps = catchUps;
    this.#settings = settings;
  }

  attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    return this.#channel(serverId).attach(listener);
  }

  /** Why some listeners may be behind or new ones would be refused. */
  get trouble(): string | undefined {
    for (const { channel } of this.#received.values()) {
      if (channel.trouble) return channel.trouble;
    }
    return undefined;
  }

  message(node: ChannelSource, name: string, payload: string): void {
    const received = this.#received.get(name);
    // Nothing of a master that is not in charge any more.
    if (received?.node !== node) return;
    const { channel } = received;
    const entry = readMessage(payload);
    if (entry) channel.message(entry);
    else this.#settings.observer.badPayload?.(channel.serverId);
  }

  connected(node: ChannelSource): void {
    for (const received of [...this.#received.values()]) {
      if (received.node === node) received.channel.subscription.connected(node.pubSub.wire);
    }
  }

  disconnected(node: ChannelSource): void {
    for (const received of [...this.#received.values()]) {
      if (received.node !== node) continue;
      received.channel.subscription.disconnected();
      if (received.handOver) this.#move(received);
    }
  }

  /**
   * The former master, if it is well, takes each channel off the connection itself, after all that it had to say. To
   * leave it before would raise a doubt whether something was missed.
   */
  rerouted(): void {
    for (const [name, received] of [...this.#received]) {
      const { channel, node, handOver } = received;
      if (this.#owner.nodeOf(name) === node) {
        clearTimeout(handOver);
        received.handOver = undefined;
      } else if (!node?.receive.isUp || !channel.subscription.isOn) {
        this.#move(received);
      } else {
        received.handOver ??= setTimeout(() => this.#move(received), HAND_OVER_MS);
      }
    }
  }

  takenOff(node: ChannelSource, name: string): void {
    const received = this.#received.get(name);
    if (received?.node !== node) return;
    received.channel.takenOff();
    if (received.handOver) this.#move(received);
  }

  misrouted(): void {
    this.#owner.misrouted();
  }

  read(channel: Channel): void {
    this.#catchUps.request(channel);
  }

  over(channel: Channel): void {
    const { channel: name } = channel.keys;
    const received = this.#received.get(name);
    if (received?.channel !== channel) return;
    clearTimeout(received.handOver);
    this.#received.delete(name);
  }

  close(error: BrokerError): void {
    for (const { channel, handOver } of [...this.#received.values()]) {
      clearTimeout(handOver);
      channel.close(error);
    }
  }

  /** Has the channel received from the master that is in charge now. */
  #move(received: Received): void {
    clearTimeout(received.handOver);
    received.handOver = undefined;
    const { subscription, keys } = received.channel;
    const node = this.#owner.nodeOf(keys.channel);
    received.node = node;
    if (node?.receive.isUp) subscription.connected(node.pubSub.wire);
    else subscription.disconnected();
  }

  #channel(serverId: ServerId): Channel {
    const keys = redisKeys(this.#settings.prefix, serverId);
    const known = this.#received.get(keys.channel);
    if (known) return known.channel;
    const node = this.#owner.nodeOf(keys.channel);
    const wire = node?.receive.isUp ? node.pubSub.wire : undefined;
    const channel = new Channel({ serverId, keys, wire }, this, this.#settings);
    this.#received.set(keys.channel, { channel, node, handOver: undefined });
    return channel;
  }
}
