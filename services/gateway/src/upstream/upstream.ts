import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraceContext } from '@listen-gateway/protocol';
import { Pool } from 'undici';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import { askDiscover } from './ask-discover.ts';
import type { DiscoverAnswer } from './discovery.ts';
import { Exchange, type ExchangeOutcome } from './exchange.ts';
import { credentialFor, requestHeaders, type UpstreamAuthorization } from './request-headers.ts';

export interface UpstreamOptions {
  /** The MCP endpoint of the upstream. */
  readonly url: string;
  readonly authorization: UpstreamAuthorization;
  /** Whose word on where a request came from is passed on. */
  readonly proxies: TrustedProxies;
  /** Time for a connection to be made, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time from a request to the head of its answer, in milliseconds; a stream that has begun may live for ever. */
  readonly headTimeoutMs: number;
}

/** What goes on of a request beside its headers. */
export interface Sent {
  /** Its bytes as they came. */
  readonly body: Buffer | null;
  /** Where its trace stands, instead of what its headers say. */
  readonly trace?: TraceContext | undefined;
}

/** Most of the time that an upstream gets for its discover answer: hosts wait for it before they do anything else. */
const DISCOVER_TIMEOUT_MS = 20_000;

/** Where the requests of one server go that are not answered here. Connections are kept and reused. */
export class Upstream {
  readonly #path: string;
  readonly #query: string;
  readonly #authorization: UpstreamAuthorization;
  readonly #proxies: TrustedProxies;
  readonly #discoverTimeoutMs: number;
  readonly #pool: Pool;

  constructor(options: UpstreamOptions) {
    const { origin, pathname, search } = new URL(options.url);
    this.#path = pathname;
    this.#query = search;
    this.#authorization = options.authorization;
    this.#proxies = options.proxies;
    this.#discoverTimeoutMs = Math.min(options.headTimeoutMs, DISCOVER_TIMEOUT_MS);
    this.#pool = new Pool(origin, {
      connect: { timeout: options.connectTimeoutMs },
      headersTimeout: options.headTimeoutMs,
      bodyTimeout: 0,
      // One request on a connection: behind a stream any other would wait for ever.
      pipelining: 1,
      // Over HTTP/2 undici has no raw headers to give: order, spelling and repetition would be lost.
      allowH2: false,
    });
  }

  /** Forwards a request. Never rejects. */
  forward(incoming: IncomingMessage, outgoing: ServerResponse, { body, trace }: Sent): Promise<ExchangeOutcome> {
    const exchange = new Exchange(outgoing);
    const method = incoming.method as 'POST';
    const headers = requestHeaders(incoming, this.#authorization, this.#proxies, trace);
    this.#pool.dispatch({ path: this.#target(incoming.url), method, headers, body }, exchange);
    return exchange.done;
  }

  /** The credential that goes to the upstream with the requests of this host. */
  credentialOf(incoming: IncomingMessage): string | undefined {
    return credentialFor(incoming, this.#authorization);
  }

  /** Asks `server/discover` on the gateway's own behalf; never rejects. */
  askDiscover(credential: string | undefined): Promise<DiscoverAnswer> {
    const timeoutMs = this.#discoverTimeoutMs;
    return askDiscover(this.#pool, { path: this.#path + this.#query, credential, timeoutMs });
  }

  /** Closes every connection; what is under way breaks off. Closing twice is fine. */
  async close(): Promise<void> {
    if (!this.#pool.destroyed) await this.#pool.destroy();
  }

  #target(url = '/'): string {
    const query = url.indexOf('?');
    if (query === -1) return this.#path + this.#query;
    return `${this.#path}${this.#query === '' ? '?' : `${this.#query}&`}${url.slice(query + 1)}`;
  }
}
