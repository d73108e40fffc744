import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { pageHeaders, responseHeaders } from './response-headers.ts';

/** How a forwarded request ended. */
export type ExchangeOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** The upstream gave no head; the host still has no byte. */
  | { readonly kind: 'failed'; readonly cause: Error }
  /** The upstream broke off after its head: the host's response was cut, so that it cannot be taken for whole. */
  | { readonly kind: 'cut'; readonly cause: Error }
  /** The host left; the upstream was told by closing its request (streamable-http, Cancellation). */
  | { readonly kind: 'host-gone' };

/**
 * One request on its way through: the upstream's head and bytes go to the host as they come, as fast as the host reads.
 * A web stream in between would cost a copy and a promise for each chunk, and hide back-pressure.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<ExchangeOutcome>;
  readonly #outgoing: ServerResponse;
  #finish!: (outcome: ExchangeOutcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #begun = false;
  #over = false;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Its 'close' may have been before anybody listened: while discover was waited for, say.
    if (outgoing.closed || outgoing.destroyed) this.#hostGone();
    else outgoing.once('close', this.#hostGone);
    // Behind an earlier request of the connection the response has no socket yet; Node 22 then reports no close of it.
    if (outgoing.socket === null) outgoing.req.socket.once('close', this.#hostGone);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(HOST_GONE);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _headers: unknown,
    statusMessage?: string,
  ): void {
    if (statusCode < 200) return;
    const outgoing = this.#outgoing;
    const headers = responseHeaders((controller.rawHeaders ?? []) as (string | Buffer)[]);
    const forPage = outgoing.hasHeader('Access-Control-Allow-Origin');
    outgoing.writeHead(statusCode, reasonOf(statusMessage), forPage ? pageHeaders(headers) : headers);
    // The head of a stream may come long before its first event, and hosts wait for it. An answer that came with its head
    // is read in this same tick, and one write takes both.
    process.nextTick(() => this.#flushHead());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#begun = true;
    if (this.#outgoing.write(chunk)) return;
    controller.pause();
    this.#outgoing.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#settle({ kind: 'answered', status: this.#outgoing.statusCode });
    this.#outgoing.end();
  }

  onResponseError(_controller: unknown, cause: Error): void {
    if (this.#over) return;
    if (!this.#outgoing.headersSent) {
      this.#settle({ kind: 'failed', cause });
      return;
    }
    this.#settle({ kind: 'cut', cause });
    this.#outgoing.destroy();
  }

  /** `flushHeaders` would send it as UTF-8, and header bytes above ASCII would come out doubled. */
  #flushHead(): void {
    if (!this.#begun && !this.#over) this.#outgoing.write('', 'latin1');
  }

  readonly #hostGone = (): void => {
    if (this.#over) return;
    this.#settle({ kind: 'host-gone' });
    this.#controller?.abort(HOST_GONE);
  };

  #settle(outcome: ExchangeOutcome): void {
    this.#over = true;
    this.#outgoing.off('close', this.#hostGone);
    this.#outgoing.req.socket.off('close', this.#hostGone);
    this.#finish(outcome);
  }
}

/** Node refuses to write any other reason, and would go on refusing whatever else is answered in its place. */
function reasonOf(statusMessage = ''): string {
  return /^[\x20-\x7e]*$/.test(statusMessage) ? statusMessage : '';
}

const HOST_GONE = new Error('the host left');
