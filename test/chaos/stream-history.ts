import type { Filter } from '@listen-gateway/protocol';
import type { CampaignRecord, ChangeKey, Ending, HostRecord } from './records.ts';

/** A message of a stream. */
export type Message = Extract<HostRecord, { type: 'acknowledged' | 'notified' | 'completed' }>;

/** One attempt to listen, and what became of it. */
export class StreamHistory {
  readonly stream: number;
  readonly instance: string;
  readonly server: string;
  /** The request id as JSON text. */
  readonly id: string;
  readonly requested: Filter;
  readonly askedAt: number;
  readonly messages: Message[] = [];
  readonly stalls: { readonly from: number; to: number }[] = [];
  readonly garbled: string[] = [];
  acknowledgedAt = Number.POSITIVE_INFINITY;
  honored: Filter = {};
  /** When it ended, or when nobody looked any more. */
  endedAt: number;
  /** Undefined where it lived to the end of the campaign, or never began. */
  ending: Ending | undefined;
  refusal: Extract<HostRecord, { type: 'refused' }> | undefined;
  #signals: Map<ChangeKey, Signal[]> | undefined;

  constructor({ stream, instance, server, id, requested, at }: Extract<HostRecord, { type: 'asked' }>, overAt: number) {
    this.stream = stream;
    this.instance = instance;
    this.server = server;
    this.id = id;
    this.requested = requested;
    this.askedAt = at;
    this.endedAt = overAt;
  }

  /** Its notifications of a key, in order. */
  signals(key: ChangeKey): readonly Signal[] {
    if (this.#signals === undefined) {
      this.#signals = new Map();
      for (const message of this.messages) {
        if (message.type !== 'notified') continue;
        const signals = this.#signals.get(message.key) ?? [];
        this.#signals.set(message.key, signals);
        signals.push({ at: message.at, seq: message.seq });
      }
    }
    return this.#signals.get(key) ?? [];
  }

  /** The keys it was notified of. */
  get keys(): Iterable<ChangeKey> {
    this.signals('');
    return this.#signals!.keys();
  }

  take(record: HostRecord, overAt: number): void {
    switch (record.type) {
      case 'acknowledged':
        if (this.acknowledgedAt === Number.POSITIVE_INFINITY) this.#acknowledged(record);
        this.messages.push(record);
        break;
      case 'notified':
      case 'completed':
        this.messages.push(record);
        break;
      case 'garbled':
        this.garbled.push(record.text);
        break;
      case 'refused':
        this.refusal = record;
        break;
      case 'stalled':
        this.stalls.push({ from: record.at, to: overAt });
        break;
      case 'resumed':
        // It may have stalled as an earlier stream of its host.
        if (this.stalls.length > 0) this.stalls.at(-1)!.to = record.at;
        break;
      case 'ended':
        this.endedAt = record.at;
        this.ending = record.how;
        break;
      case 'asked':
      case 'unreachable':
        break;
    }
  }

  #acknowledged({ at, honored }: Extract<HostRecord, { type: 'acknowledged' }>): void {
    this.acknowledgedAt = at;
    this.honored = honored;
  }
}

export interface Signal {
  readonly at: number;
  readonly seq: number | undefined;
}

/** The streams that ordered records tell of. */
export function streamsIn(records: readonly CampaignRecord[], overAt: number): StreamHistory[] {
  const streams = new Map<number, StreamHistory>();
  for (const record of records) {
    if (!('stream' in record)) continue;
    if (record.type === 'asked') streams.set(record.stream, new StreamHistory(record, overAt));
    else streams.get(record.stream)!.take(record, overAt);
  }
  return [...streams.values()];
}
