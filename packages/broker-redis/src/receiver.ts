import type { BrokerError, BrokerListener, Detach } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { CatchUps } from './catch-up.ts';
import { Channel, type ChannelOwner } from './channel.ts';
import type { Connection, ConnectionWatcher } from './connection.ts';
import { readMessage } from './journal-entry.ts';
import { redisKeys } from './redis-keys.ts';
import type { RedisSettings } from './redis-options.ts';
import type { Wire } from './subscription.ts';

/** The channels of this instance on its one receive connection, which has one message listener however many there are. */
export class Receiver implements ChannelOwner, ConnectionWatcher {
  readonly wire: Wire;
  readonly #connection: Connection;
  readonly #catchUps: CatchUps;
  readonly #settings: RedisSettings;
  /** By channel name. */
  readonly #channels = new Map<string, Channel>();

  constructor(connection: Connection, wire: Wire, catchUps: CatchUps, settings: RedisSettings) {
    this.#connection = connection;
    this.wire = wire;
    this.#catchUps = catchUps;
    this.#settings = settings;
    connection.watch(this);
  }

  get isConnected(): boolean {
    return this.#connection.isUp;
  }

  attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    return this.#channel(serverId).attach(listener);
  }

  /** What arrived on the receive connection. */
  message(name: string, payload: string): void {
    const channel = this.#channels.get(name);
    if (!channel) return;
    const entry = readMessage(payload);
    if (entry) channel.message(entry);
    else this.#settings.observer.badPayload?.(channel.serverId);
  }

  /** Why some listeners may be behind or new ones would be refused. */
  get trouble(): string | undefined {
    for (const channel of this.#channels.values()) {
      if (channel.trouble) return channel.trouble;
    }
    return undefined;
  }

  connected(): void {
    for (const channel of [...this.#channels.values()]) channel.subscription.connected();
  }

  disconnected(): void {
    for (const channel of [...this.#channels.values()]) channel.subscription.disconnected();
  }

  read(channel: Channel): void {
    this.#catchUps.request(channel);
  }

  over(channel: Channel): void {
    if (this.#channels.get(channel.keys.channel) === channel) this.#channels.delete(channel.keys.channel);
  }

  close(error: BrokerError): void {
    for (const channel of [...this.#channels.values()]) channel.close(error);
  }

  #channel(serverId: ServerId): Channel {
    const keys = redisKeys(this.#settings.prefix, serverId);
    const known = this.#channels.get(keys.channel);
    if (known) return known;
    const channel = new Channel(serverId, keys, this, this.#settings);
    this.#channels.set(keys.channel, channel);
    return channel;
  }
}
