import type { BrokerError, BrokerListener, Detach } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { CatchUps } from './catch-up.ts';
import { Channel, type ChannelOwner } from './channel.ts';
import { readMessage } from './journal-entry.ts';
import { redisKeys } from './redis-keys.ts';
import type { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import type { TopologyWatcher } from './topology.ts';

export interface ReceiverOwner {
  /** The master in charge of a channel; undefined while none is known to be. */
  nodeOf(channel: string): RedisNode | undefined;
  misrouted(): void;
}

/** A channel, and the master that its changes are received from. */
interface Received {
  readonly channel: Channel;
  node: RedisNode | undefined;
}

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

  message(node: RedisNode, name: string, payload: string): void {
    const channel = this.#on(node, name);
    if (!channel) return;
    const entry = readMessage(payload);
    if (entry) channel.message(entry);
    else this.#settings.observer.badPayload?.(channel.serverId);
  }

  connected(node: RedisNode): void {
    for (const received of [...this.#received.values()]) {
      if (received.node === node) received.channel.subscription.connected(node.pubSub.wire);
    }
  }

  disconnected(node: RedisNode): void {
    for (const received of [...this.#received.values()]) {
      if (received.node === node) received.channel.subscription.disconnected();
    }
  }

  rerouted(): void {
    for (const [name, received] of [...this.#received]) {
      const node = this.#owner.nodeOf(name);
      if (node === received.node) continue;
      received.node = node;
      if (node?.receive.isUp) received.channel.subscription.connected(node.pubSub.wire);
      else received.channel.subscription.disconnected();
    }
  }

  takenOff(node: RedisNode, name: string): void {
    this.#on(node, name)?.takenOff();
  }

  misrouted(): void {
    this.#owner.misrouted();
  }

  read(channel: Channel): void {
    this.#catchUps.request(channel);
  }

  over(channel: Channel): void {
    const { channel: name } = channel.keys;
    if (this.#received.get(name)?.channel === channel) this.#received.delete(name);
  }

  close(error: BrokerError): void {
    for (const { channel } of [...this.#received.values()]) channel.close(error);
  }

  /** Nothing of a master that is not in charge any more. */
  #on(node: RedisNode, name: string): Channel | undefined {
    const received = this.#received.get(name);
    return received?.node === node ? received.channel : undefined;
  }

  #channel(serverId: ServerId): Channel {
    const keys = redisKeys(this.#settings.prefix, serverId);
    const known = this.#received.get(keys.channel);
    if (known) return known.channel;
    const node = this.#owner.nodeOf(keys.channel);
    const wire = node?.receive.isUp ? node.pubSub.wire : undefined;
    const channel = new Channel({ serverId, keys, wire }, this, this.#settings);
    this.#received.set(keys.channel, { channel, node });
    return channel;
  }
}
