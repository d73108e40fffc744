import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

/**
 * The peer of the proxy bench: the least that passes requests on. Node's HTTP server, undici's pool and a handler that
 * writes what comes; the request body is piped, nothing is parsed, checked, counted or added, and of the headers only those that
 * would break the next connection are left out.
 */
export interface BarePort {
  readonly type: 'listening';
  readonly port: number;
}

const [upstreamPort] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { pipelining: 1, bodyTimeout: 0 });
const OF_CONNECTION = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

class PassThrough implements Dispatcher.DispatchHandler {
  readonly #outgoing: ServerResponse;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, statusCode: number, headers: Record<string, string | string[]>): void {
    const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...kept } = headers;
    this.#outgoing.writeHead(statusCode, kept);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#outgoing.write(chunk)) return;
    controller.pause();
    this.#outgoing.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#outgoing.end();
  }

  onResponseError(): void {
    this.#outgoing.destroy();
  }
}

const server = createServer((incoming, outgoing) => {
  const headers: string[] = [];
  incoming.rawHeaders.forEach((value, at, all) => {
    if (at % 2 === 1 && !OF_CONNECTION.has((all[at - 1] ?? '').toLowerCase())) headers.push(all[at - 1] ?? '', value);
  });
  const { url: path = '/', method } = incoming;
  pool.dispatch({ path, method: method as 'POST', headers, body: incoming }, new PassThrough(outgoing));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'listening', port: (server.address() as AddressInfo).port } satisfies BarePort);
});
