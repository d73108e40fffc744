import {
  acknowledgementFrame,
  completionFrame,
  type Filter,
  KEEPALIVE_FRAME,
  type ServerId,
  type ServerInfo,
} from '@listen-gateway/protocol';
import type { CloseReason } from './close-reason.ts';
import { Outbox } from './outbox.ts';
import type { Principal } from './principal.ts';
import type { Chunk, OpenSink, Sink, SinkEvents, Written } from './sink.ts';
import { OPENING, type StreamInput, type StreamState, step } from './stream-phase.ts';
import type { SubscriptionTag } from './subscription-tag.ts';

declare const streamIdBrand: unique symbol;

/** Numbers the streams of one instance; never the host's subscription id. */
export type StreamId = number & { readonly [streamIdBrand]: true };

/** What a stream is opened with. */
export interface StreamOptions {
  readonly id: StreamId;
  readonly serverId: ServerId;
  readonly serverInfo: ServerInfo;
  readonly tag: SubscriptionTag;
  readonly honored: Filter;
  /** Whether a named URI stands for those beneath it too (P-1.11). */
  readonly subResources: boolean;
  /** Absent where hosts are not authenticated. */
  readonly principal: Principal | undefined;
}

/** What a stream tells its owner. */
export interface StreamOwner {
  /** Whether a stream that ends for this reason is sent the result first. */
  endsWithResult(reason: CloseReason): boolean;
  /** The stream can write again and may owe something. */
  writable(stream: Stream): void;
  /** The host reads slowly; follows a write. */
  blocked(stream: Stream): void;
  /** The stream is over: called once, in the tick in which it happened. */
  closed(stream: Stream, reason: CloseReason): void;
}

/** One open SSE response serving one listen request. */
export class Stream implements SinkEvents {
  readonly id: StreamId;
  readonly serverId: ServerId;
  readonly tag: SubscriptionTag;
  readonly honored: Filter;
  readonly subResources: boolean;
  readonly principal: Principal | undefined;
  readonly outbox = new Outbox();
  /** Whether a pass has this stream on its list. */
  queued = false;
  /** Since when the host takes nothing, in milliseconds of the clock. */
  blockedSince: number | undefined;
  /** When the acknowledgement was written, in milliseconds of the clock. */
  openedAt: number | undefined;
  readonly #serverInfo: ServerInfo;
  readonly #owner: StreamOwner;
  readonly #sink: Sink;
  #state: StreamState = OPENING;

  constructor(options: StreamOptions, owner: StreamOwner, openSink: OpenSink) {
    this.id = options.id;
    this.serverId = options.serverId;
    this.tag = options.tag;
    this.honored = options.honored;
    this.subResources = options.subResources;
    this.principal = options.principal;
    this.#serverInfo = options.serverInfo;
    this.#owner = owner;
    this.#sink = openSink(this);
  }

  get state(): StreamState {
    return this.#state;
  }

  /** The acknowledgement is the first message (patterns/subscriptions); what was owed by then follows in the same write. */
  acknowledge(): void {
    if (this.#state.phase !== 'opening') return;
    this.#step({ type: 'attached' });
    this.#write({ text: acknowledgementFrame(this.tag.idJson, this.honored) + this.#owedText() });
  }

  /**
   * Writes all that is owed in one chunk, and says whether it did; leaves it owed while the stream is not live or its
   * host does not read.
   */
  flush(): boolean {
    if (this.#state.phase !== 'live' || this.blockedSince !== undefined || this.outbox.isEmpty) return false;
    const chunk = this.tag.encode(this.outbox);
    this.outbox.clear();
    this.#write(chunk);
    return true;
  }

  /** A comment for intermediaries and idle timers; a blocked stream has bytes enough under way. */
  keepalive(): void {
    if (this.#state.phase === 'live' && this.blockedSince === undefined) this.#write(KEEPALIVE);
  }

  /** Ends the stream: with what it owes and the result where the reason is graceful, else by a drop. */
  end(reason: CloseReason): void {
    const { phase } = this.#state;
    if (phase === 'closing' || phase === 'closed') return;
    const wasLive = phase === 'live';
    this.#step({ type: 'end', reason });
    // While opening no byte was sent: the request is still there to be answered with an error.
    if (!wasLive) return;
    if (this.#owner.endsWithResult(reason)) {
      this.#sink.end({ text: this.#owedText() + completionFrame(this.tag.idJson, this.#serverInfo) });
    } else {
      this.#sink.cut();
    }
  }

  /** Destroys a stream that did not finish closing in time. */
  cut(reason: CloseReason): void {
    if (this.#state.phase === 'closing') {
      this.#step({ type: 'end', reason });
      this.#sink.cut();
    } else {
      this.end(reason);
    }
  }

  /** Called by the sink: the host reads again. */
  drained(): void {
    if (this.blockedSince === undefined) return;
    this.blockedSince = undefined;
    this.#owner.writable(this);
  }

  /** Called by the sink: the response is over. */
  gone(): void {
    this.#step({ type: 'gone' });
  }

  #owedText(): string {
    if (this.outbox.isEmpty) return '';
    const { text } = this.tag.encode(this.outbox);
    this.outbox.clear();
    return text;
  }

  #write(chunk: Chunk): void {
    const written: Written = this.#sink.write(chunk);
    // The host may have gone within the write: its owner has let go of the stream and must not count it as blocked.
    if (written === 'blocked' && this.#state.phase !== 'closed') this.#owner.blocked(this);
  }

  #step(input: StreamInput): void {
    const before = this.#state;
    this.#state = step(before, input);
    if (before.phase !== 'closed' && this.#state.phase === 'closed') this.#owner.closed(this, this.#state.reason);
  }
}

const KEEPALIVE: Chunk = { text: KEEPALIVE_FRAME };
