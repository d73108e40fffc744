import {
  type Broker,
  BrokerError,
  type BrokerListener,
  type BrokerStatus,
  type Detach,
  type Idempotency,
  type PublishOutcome,
} from '@listen-gateway/core';
import type { Published, ServerId } from '@listen-gateway/protocol';
import { CatchUps } from './catch-up.ts';
import { Connection } from './connection.ts';
import type { JournalId } from './journal-entry.ts';
import { Probe } from './probe.ts';
import { type PubSub, plainPubSub } from './pub-sub.ts';
import { publishArguments, publishOutcome } from './publish-script.ts';
import { pageOf, readArguments } from './read-script.ts';
import { Receiver } from './receiver.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';
import { type RedisBrokerOptions, type RedisSettings, redisSettings } from './redis-options.ts';

/** Entries in one read of a journal. */
const PAGE_LENGTH = 500;

/**
 * Carries changes between processes over Redis 7 or later, or Valkey 8: two connections, however many servers and
 * listeners there are. It begins to connect at once and never gives up.
 */
export class RedisBroker implements Broker {
  readonly #settings: RedisSettings;
  readonly #commands: Connection;
  readonly #receive: Connection;
  readonly #pubSub: PubSub;
  readonly #catchUps: CatchUps;
  readonly #receiver: Receiver;
  readonly #probe: Probe;
  #closing: Promise<void> | undefined;

  constructor(options: RedisBrokerOptions) {
    this.#settings = redisSettings(options);
    this.#commands = new Connection('commands', this.#settings);
    this.#receive = new Connection('receive', this.#settings);
    this.#pubSub = plainPubSub(this.#receive);
    this.#catchUps = new CatchUps((keys, from) => this.#readPage(keys, from), this.#settings.observer);
    this.#receiver = new Receiver(this.#receive, this.#pubSub.wire, this.#catchUps, this.#settings);
    this.#probe = new Probe({ commands: this.#commands, receive: this.#receive }, this.#pubSub, this.#settings);
    this.#pubSub.onMessage((channel, payload) => {
      if (channel === this.#probe.channel) this.#probe.message(payload);
      else this.#receiver.message(channel, payload);
    });
  }

  async attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    this.#assertOpen();
    return this.#receiver.attach(serverId, listener);
  }

  async publish(serverId: ServerId, changes: readonly Published[], idempotency?: Idempotency): Promise<PublishOutcome> {
    this.#assertOpen();
    const { verb } = this.#pubSub;
    const keys = redisKeys(this.#settings.prefix, serverId);
    const script = publishArguments(keys, changes, idempotency, { ...this.#settings, verb });
    try {
      return publishOutcome(await this.#commands.run((client) => client.publishChanges(...script)));
    } catch (cause) {
      this.#assertOpen();
      const message = `Redis did not take ${changes.length} changes of ${serverId}`;
      throw new BrokerError('BROKER_UNAVAILABLE', message, { cause });
    }
  }

  status(): BrokerStatus {
    const reason = this.#trouble();
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #trouble(): string | undefined {
    if (this.#closing !== undefined) return CLOSED;
    for (const connection of [this.#commands, this.#receive]) {
      if (!connection.isUp) return `Redis is not reachable (${connection.role}): ${connection.trouble}`;
    }
    return this.#probe.trouble ?? this.#receiver.trouble;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new BrokerError('BROKER_CLOSED', CLOSED);
  }

  async #close(): Promise<void> {
    this.#probe.close();
    this.#catchUps.close();
    this.#receiver.close(new BrokerError('BROKER_CLOSED', CLOSED));
    await Promise.all([this.#commands.close(), this.#receive.close()]);
  }

  async #readPage(keys: RedisKeys, from: JournalId | undefined) {
    const script = readArguments(keys, from, PAGE_LENGTH);
    return pageOf(await this.#commands.run((client) => client.readJournal(...script)));
  }
}

const CLOSED = 'the broker is closed';
