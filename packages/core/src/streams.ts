import type { Announcement, Change, Filter, Published, RequestId, ServerId } from '@listen-gateway/protocol';
import { admit, type Refusal, type StreamLimits } from './admit.ts';
import { Attachments } from './attachments.ts';
import type { Broker } from './broker.ts';
import { type Census, takeCensus } from './census.ts';
import type { Clock } from './clock.ts';
import { type CloseReason, ENDS_WITH_RESULT } from './close-reason.ts';
import { Expiries } from './expiries.ts';
import { FanOut } from './fan-out.ts';
import type { Follow } from './follow.ts';
import { honor, isEmpty } from './honor.ts';
import { outlivesDisconnect } from './lost-disconnect.ts';
import type { Principal } from './principal.ts';
import { PrincipalStreams } from './principal-streams.ts';
import { Registry } from './registry.ts';
import type { OpenSink } from './sink.ts';
import { Stream, type StreamId, type StreamOwner } from './stream.ts';
import type { StreamObserver } from './stream-observer.ts';
import { SubscriptionTags } from './subscription-tag.ts';
import { Wheel } from './wheel.ts';

/** One listen request, read and authorized. */
export interface Listen {
  readonly serverId: ServerId;
  readonly server: Pick<Announcement, 'serverInfo' | 'capabilities'>;
  readonly subscriptionId: RequestId;
  readonly requested: Filter;
  /** Absent where hosts are not authenticated. */
  readonly principal?: Principal | undefined;
}

export interface StreamsOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly observer: StreamObserver;
  readonly limits: StreamLimits;
  /** A comment is written at least this often. */
  readonly keepaliveMs: number;
  /** A host that takes nothing for this long is dropped. */
  readonly stallMs: number;
  /** Told first when a principal of a server is disconnected, or where one may have been unheard: then without a subject. */
  readonly onDisconnect?: (serverId: ServerId, subject: string | undefined) => void;
  readonly follow?: Follow;
  /** Where to depart from `ENDS_WITH_RESULT`. */
  readonly endsWithResult?: Partial<Readonly<Record<CloseReason, boolean>>>;
}

/** `opened`: the sink has the acknowledgement. `host-gone`: nobody is left to answer. */
export type ListenOutcome = 'opened' | 'host-gone' | Refusal;

/** The streams of this instance. */
export class Streams implements StreamOwner {
  readonly #options: StreamsOptions;
  readonly #attachments: Attachments;
  readonly #fanOut: FanOut;
  readonly #wheel: Wheel<Stream>;
  readonly #tags = new SubscriptionTags();
  readonly #open = new Set<Stream>();
  readonly #blocked = new Set<Stream>();
  readonly #registry = new Registry();
  readonly #principals = new PrincipalStreams();
  readonly #expiries: Expiries;
  readonly #whenEmpty: (() => void)[] = [];
  #draining = false;
  #nextId = 0;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#attachments = new Attachments(options.broker, (serverId) => ({
      change: (published, ageMs) => this.#take(serverId, published, ageMs),
      gap: () => this.#gap(serverId),
    }));
    this.#fanOut = new FanOut(options.clock, options.observer);
    this.#wheel = new Wheel<Stream>(options.clock, {
      turnMs: options.keepaliveMs,
      visit: (stream) => stream.keepalive(),
      ticked: () => this.#endDue(),
    });
    this.#expiries = new Expiries(options.clock);
    this.#wheel.start();
  }

  /** The open streams, those still opening included. */
  get open(): ReadonlySet<Stream> {
    return this.#open;
  }

  /** Counts of this moment. */
  census(): Census {
    return takeCensus(this.#open.size, this.#blocked, this.#attachments.size);
  }

  /**
   * Serves one listen request on the sink that `openSink` makes. Nothing is written unless the outcome is `opened`;
   * on a refusal the caller still has the request to answer.
   */
  async listen(listen: Listen, openSink: OpenSink): Promise<ListenOutcome> {
    const askedAt = this.#options.clock.now();
    const refusal = this.refusalOf(listen);
    if (refusal !== undefined) return this.refuse(listen.serverId, refusal);

    const honored = honor(listen.requested, listen.server.capabilities);
    const stream = this.#register(listen, honored, openSink);
    if (!isEmpty(honored)) {
      try {
        await this.#attachments.acquire(stream.serverId);
      } catch {
        stream.end('attach-failed');
      }
    }
    const { state } = stream;
    if (state.phase === 'closed')
      return state.reason === 'host-gone' ? 'host-gone' : this.#refuseClosed(stream, state.reason);
    stream.openedAt = this.#options.clock.now();
    this.#options.observer.opened(stream, stream.openedAt - askedAt);
    stream.acknowledge();
    if (isEmpty(honored)) stream.end('nothing-honored');
    return 'opened';
  }

  /** Why a listen would be refused now, before anything is found out for it; the listen itself looks again. */
  refusalOf({ serverId, principal }: Pick<Listen, 'serverId' | 'principal'>): Refusal | undefined {
    if (this.#draining) return 'draining';
    const forPrincipal = principal === undefined ? 0 : this.#principals.count(serverId, principal.subject);
    const verdict = admit({ onInstance: this.#open.size, forPrincipal }, this.#options.limits);
    return verdict === 'admitted' ? undefined : verdict;
  }

  /** Reports a refusal; also one that was decided before the listen came here. */
  refuse(serverId: ServerId, refusal: Refusal): Refusal {
    this.#options.observer.refused(serverId, refusal);
    return refusal;
  }

  /** From now on every listen is refused; open streams are the caller's to end. Resolves once the last one closed. */
  async startDraining(): Promise<void> {
    this.#draining = true;
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    this.#wheel.stop();
  }

  /** Called by a stream. */
  endsWithResult(reason: CloseReason): boolean {
    return this.#options.endsWithResult?.[reason] ?? ENDS_WITH_RESULT[reason];
  }

  /** Called by a stream. */
  writable(stream: Stream): void {
    this.#blocked.delete(stream);
    if (!stream.outbox.isEmpty) this.#fanOut.enqueue(stream);
  }

  /** Called by a stream. */
  blocked(stream: Stream): void {
    stream.blockedSince = this.#options.clock.now();
    this.#blocked.add(stream);
  }

  /** Called by a stream: releases all that it held. */
  closed(stream: Stream, reason: CloseReason): void {
    this.#open.delete(stream);
    this.#blocked.delete(stream);
    this.#wheel.remove(stream);
    this.#registry.remove(stream);
    this.#tags.release(stream.tag);
    this.#principals.remove(stream);
    this.#expiries.remove(stream);
    if (!isEmpty(stream.honored)) this.#attachments.release(stream.serverId);
    if (stream.openedAt !== undefined) {
      this.#options.observer.closed(stream, reason, this.#options.clock.now() - stream.openedAt);
    }
    if (this.#open.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #register(listen: Listen, honored: Filter, openSink: OpenSink): Stream {
    const { serverId, server, principal } = listen;
    const tag = this.#tags.claim(listen.subscriptionId);
    const id = this.#nextId++ as StreamId;
    const { subResources } = server.capabilities.resources;
    const options = { id, serverId, serverInfo: server.serverInfo, tag, honored, subResources, principal };
    const stream = new Stream(options, this, openSink);
    this.#open.add(stream);
    this.#wheel.add(stream);
    this.#principals.add(stream);
    this.#expiries.add(stream);
    // In the registry before the broker confirms: the outbox holds what comes in between (SUB-04).
    this.#registry.add(stream);
    return stream;
  }

  #refuseClosed(stream: Stream, reason: CloseReason): Refusal {
    return this.refuse(stream.serverId, REFUSAL_OF[reason] ?? 'draining');
  }

  #take(serverId: ServerId, published: Published, ageMs: number): void {
    if (published.kind === 'disconnect') {
      this.#options.onDisconnect?.(serverId, published.subject);
      for (const stream of this.#principals.named(serverId, published)) stream.end('revoked');
      return;
    }
    this.#mark(serverId, published, ageMs);
  }

  #mark(serverId: ServerId, change: Change, ageMs: number): void {
    const followed = change.trace && this.#options.follow?.(serverId, change, change.trace);
    const told = followed ? { ...change, trace: followed.trace } : change;
    const { owing, coalesced } = this.#registry.mark(serverId, told, (stream) => this.#fanOut.enqueue(stream));
    const streams = owing + coalesced;
    if (streams > 0) this.#fanOut.time(this.#options.clock.now() - ageMs);
    if (followed && streams > 0) this.#fanOut.follow(() => followed.over(streams));
    else followed?.over(streams);
    this.#options.observer.marked(change.kind, owing, coalesced);
  }

  /**
   * Over-notifying is safe, missing is not; a task's state can only be read again by the host itself, and a lost
   * disconnect is only made good by asking for the credential again.
   */
  #gap(serverId: ServerId): void {
    const streams = [...this.#registry.of(serverId)];
    this.#options.onDisconnect?.(serverId, undefined);
    this.#options.observer.gap(serverId, streams.length);
    for (const stream of streams) {
      const isOver = stream.honored.taskIds !== undefined || outlivesDisconnect(stream.principal, this.#options.clock);
      if (isOver && stream.state.phase === 'live') stream.end('gap');
      else {
        stream.outbox.oweEverything(stream.honored);
        this.#fanOut.enqueue(stream);
      }
    }
  }

  #endDue(): void {
    for (const stream of this.#expiries.due()) stream.end('token-expired');
    const stalledBefore = this.#options.clock.now() - this.#options.stallMs;
    for (const stream of this.#blocked) {
      if (stream.blockedSince !== undefined && stream.blockedSince <= stalledBefore) stream.cut('slow-host');
    }
  }
}

/** What a listen is refused with whose stream ended before it was acknowledged. */
const REFUSAL_OF: Partial<Readonly<Record<CloseReason, Refusal>>> = {
  'attach-failed': 'broker-unavailable',
  'token-expired': 'unauthorized',
  revoked: 'unauthorized',
};
