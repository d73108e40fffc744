import type { Chunk, OpenSink, Sink, SinkEvents, Written } from '@listen-gateway/core';
import type { RpcMessage } from './listen-client.ts';
import { parseFrames } from './sse-frames.ts';

/**
 * A host's response that keeps what was written. It is stricter than the port: a write after `end`, or while blocked,
 * throws. `gone` is reported at once, within the call that causes it, which is the harshest order that the port allows;
 * only a sink that is blocked when it ends stays until it is drained, as a host that reads slowly does.
 */
export class RecordingSink implements Sink {
  /** Every chunk taken, the one given to `end` included: one for each write. */
  readonly chunks: Chunk[] = [];
  /** How the response was closed by its owner. */
  closing: 'no' | 'end' | 'cut' = 'no';
  readonly #events: SinkEvents;
  #blocking = false;
  #blocked = false;
  #gone = false;

  constructor(events: SinkEvents) {
    this.#events = events;
  }

  write(chunk: Chunk): Written {
    if (this.#gone) return 'accepted';
    if (this.closing !== 'no') throw new Error(`a write after ${this.closing}: ${chunk.text}`);
    if (this.#blocked) throw new Error(`a write to a blocked sink: ${chunk.text}`);
    this.chunks.push(chunk);
    this.#blocked = this.#blocking;
    return this.#blocked ? 'blocked' : 'accepted';
  }

  end(last?: Chunk): void {
    if (this.#gone) return;
    if (this.closing !== 'no') throw new Error(`an end after ${this.closing}`);
    if (last !== undefined) this.chunks.push(last);
    this.closing = 'end';
    if (!this.#blocked) this.leave();
  }

  cut(): void {
    if (this.#gone) return;
    this.closing = 'cut';
    this.leave();
  }

  /** From the next write on the host takes nothing: that write is answered with `blocked`. */
  block(): void {
    this.#blocking = true;
  }

  /** The host reads again. */
  drain(): void {
    this.#blocking = false;
    if (!this.#blocked || this.#gone) return;
    this.#blocked = false;
    this.#events.drained();
    if (this.closing === 'end') this.leave();
  }

  /** The host goes away, or took the last of its response. */
  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#events.gone();
  }

  get isBlocked(): boolean {
    return this.#blocked;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  get text(): string {
    return this.chunks.map(({ text }) => text).join('');
  }

  /** Every JSON-RPC message so far; throws where a frame is not as it must be. */
  get messages(): readonly RpcMessage[] {
    return parseFrames(this.text).flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data) as RpcMessage]));
  }

  /** How many frames carry no message. */
  get keepalives(): number {
    return parseFrames(this.text).filter(({ data }) => data === undefined).length;
  }
}

/** An `OpenSink` that opens recording sinks and keeps them, in order. */
export function recordingSinks(): { readonly open: OpenSink; readonly sinks: readonly RecordingSink[] } {
  const sinks: RecordingSink[] = [];
  const open: OpenSink = (events) => {
    const sink = new RecordingSink(events);
    sinks.push(sink);
    return sink;
  };
  return { open, sinks };
}
