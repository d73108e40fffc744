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
import { type Accepted, AcceptedChanges } from './accepted-changes.ts';
import { breakArguments } from './break-script.ts';
import { CatchUps } from './catch-up.ts';
import { Cluster } from './cluster.ts';
import { Deadline } from './deadline.ts';
import type { JournalId } from './journal-entry.ts';
import { type PublishVerb, publishArguments, publishOutcome } from './publish-script.ts';
import { pageOf, readArguments } from './read-script.ts';
import { Receiver } from './receiver.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';
import { type RedisBrokerOptions, type RedisSettings, redisSettings } from './redis-options.ts';
import { SingleMaster } from './single-master.ts';
import type { Topology } from './topology.ts';

/** Entries in one read of a journal. */
const PAGE_LENGTH = 500;

/**
 * Carries changes between processes over Redis 7 or later, or Valkey 8: two connections to each master, however many
 * servers and listeners there are. It begins to connect at once and never gives up.
 */
export class RedisBroker implements Broker {
  readonly #settings: RedisSettings;
  readonly #catchUps: CatchUps;
  readonly #receiver: Receiver;
  readonly #topology: Topology;
  readonly #accepted: AcceptedChanges;
  readonly #look: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: RedisBrokerOptions) {
    this.#settings = redisSettings(options);
    const { mode, observer } = this.#settings;
    this.#catchUps = new CatchUps((keys, from) => this.#readPage(keys, from), observer);
    const owner = {
      nodeOf: (channel: string) => this.#topology.nodeOf(channel),
      misrouted: () => this.#topology.misrouted(),
    };
    this.#receiver = new Receiver(owner, this.#catchUps, this.#settings);
    const Setup = mode === 'cluster' ? Cluster : SingleMaster;
    this.#topology = new Setup(this.#settings, this.#receiver);
    const journals = {
      historyOf: ({ channel }: RedisKeys) => this.#topology.nodeOf(channel)?.history,
      breakIfLost: (accepted: Accepted) => this.#breakIfLost(accepted),
    };
    this.#accepted = new AcceptedChanges(journals, this.#settings.journal.ageMs);
    this.#look = setInterval(() => void this.#accepted.look(), this.#settings.probeMs);
  }

  async attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    this.#assertOpen();
    return this.#receiver.attach(serverId, listener);
  }

  async publish(serverId: ServerId, changes: readonly Published[], idempotency?: Idempotency): Promise<PublishOutcome> {
    this.#assertOpen();
    const keys = redisKeys(this.#settings.prefix, serverId);
    const script = publishArguments(keys, changes, idempotency, { ...this.#settings, verb: this.#verb });
    const deadline = new Deadline(this.#settings.commandTimeoutMs);
    try {
      const published = this.#topology.run(keys.channel, deadline, (node) => node.publish(script, deadline));
      const { reply, history } = await deadline.meet(published);
      const outcome = publishOutcome(reply);
      const latest = outcome.kind === 'key-reused' ? undefined : outcome.receipts.at(-1);
      if (latest) this.#accepted.note({ serverId, keys, id: latest.journalId, history });
      return outcome;
    } catch (cause) {
      this.#assertOpen();
      const message = `Redis did not take ${changes.length} changes of ${serverId}`;
      throw new BrokerError('BROKER_UNAVAILABLE', message, { cause });
    }
  }

  status(): BrokerStatus {
    const closed = this.#closing === undefined ? undefined : CLOSED;
    const reason = closed ?? this.#topology.trouble ?? this.#receiver.trouble;
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get #verb(): PublishVerb {
    return this.#settings.mode === 'cluster' ? 'SPUBLISH' : 'PUBLISH';
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new BrokerError('BROKER_CLOSED', CLOSED);
  }

  async #close(): Promise<void> {
    clearInterval(this.#look);
    this.#catchUps.close();
    this.#receiver.close(new BrokerError('BROKER_CLOSED', CLOSED));
    await this.#topology.close();
  }

  async #readPage(keys: RedisKeys, from: JournalId | undefined) {
    const script = readArguments(keys, from, PAGE_LENGTH);
    const reply = await this.#topology.run(keys.journal, new Deadline(this.#settings.commandTimeoutMs), (node) => {
      if (node.isWhole) return node.commands.run((client) => client.readJournal(...script));
      throw new Error('what is received and what would be read do not belong together');
    });
    return pageOf(reply);
  }

  async #breakIfLost({ serverId, keys, id }: Accepted): Promise<void> {
    const script = breakArguments(keys, this.#verb, id);
    const deadline = new Deadline(this.#settings.commandTimeoutMs);
    const lost = await this.#topology.run(keys.journal, deadline, ({ commands }) =>
      commands.run((client) => client.breakIfLost(...script)),
    );
    if (lost === 1) this.#settings.observer.lost?.(serverId);
  }
}

const CLOSED = 'the broker is closed';
