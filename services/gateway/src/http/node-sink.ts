import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Chunk, Sink, SinkEvents, Written } from '@listen-gateway/core';
import type { LostHosts, WatchedConnection } from '../lost-hosts/lost-hosts.ts';
import type { ConnectionEnds } from '../lost-hosts/tcp-table.ts';

/**
 * Spec, streamable-http: `X-Accel-Buffering: no`. `no-transform` keeps compressing proxies from collecting frames.
 * No length, no session id, nothing that suggests resumption (P-1.10, P-2.10).
 */
const HEAD = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * A host's response on Node's HTTP server. The head and the first chunk go through the response, in one flush; later
 * chunks go straight to the socket with HTTP/1.1 chunk framing that is made once for all streams: a web stream or
 * `response.write` costs two to three times as much for each frame. Where the response is not plain chunked
 * HTTP/1.1, as towards a proxy that speaks HTTP/1.0, everything goes through the response.
 */
export class NodeSink implements Sink, WatchedConnection {
  readonly #response: ServerResponse;
  readonly #events: SinkEvents;
  readonly #lostHosts: LostHosts;
  #socket: Socket | undefined;
  #gone = false;

  constructor(response: ServerResponse, events: SinkEvents, lostHosts: LostHosts) {
    this.#response = response;
    this.#events = events;
    this.#lostHosts = lostHosts;
    if (response.closed || response.destroyed) queueMicrotask(this.#close);
    else response.once('close', this.#close);
    // Behind an earlier request of the connection the response has no socket yet; Node 22 then reports no close of it.
    if (response.socket === null) response.req.socket.once('close', this.#close);
  }

  write(chunk: Chunk): Written {
    if (this.#gone) return 'accepted';
    if (!this.#response.headersSent) return this.#open(chunk);
    const socket = this.#socket;
    const accepted =
      socket === undefined ? this.#response.write(chunk.text, 'latin1') : socket.write(wireOf(chunk), 'latin1');
    return this.#written(accepted);
  }

  end(last?: Chunk): void {
    if (this.#gone) return;
    if (last === undefined) this.#response.end();
    else this.#response.end(last.text, 'latin1');
  }

  cut(): void {
    this.#response.destroy();
  }

  get ends(): ConnectionEnds {
    return this.#response.socket ?? {};
  }

  #open(chunk: Chunk): Written {
    const response = this.#response;
    this.#lostHosts.watch(this);
    response.writeHead(200, HEAD);
    const accepted = response.write(chunk.text, 'latin1');
    const { socket } = response;
    if (response.chunkedEncoding && socket !== null) this.#socket = socket;
    return this.#written(accepted);
  }

  #written(accepted: boolean): Written {
    if (accepted) return 'accepted';
    // Made when a host blocks, not kept for each stream.
    (this.#socket ?? this.#response).once('drain', () => {
      if (!this.#gone) this.#events.drained();
    });
    return 'blocked';
  }

  readonly #close = (): void => {
    if (this.#gone) return;
    this.#gone = true;
    this.#lostHosts.forget(this);
    this.#events.gone();
  };
}

/** A chunk as HTTP/1.1 sends it: its text is ASCII, so its length in bytes is its length. */
function wireOf(chunk: Chunk): string {
  chunk.wire ??= `${chunk.text.length.toString(16)}\r\n${chunk.text}\r\n`;
  return chunk.wire;
}
