import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Filter } from '@listen-gateway/protocol';

/** One question that came. */
export interface Question {
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect, whatever it is.
  readonly json: any;
}

type Answering = (response: ServerResponse, question: Question) => unknown;

/** A backend that decides what principals may watch, over real HTTP. */
export class StubBackend {
  readonly questions: Question[] = [];
  /** What it does with the next questions; the default grants all that is requested. */
  answering: Answering = (response, { json }) => this.grant(response, json.requested);
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/authorize`;
  }

  grant(response: ServerResponse, granted: Filter): void {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ granted }));
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const question = { authorization: request.headers.authorization, json: JSON.parse(text) };
    this.questions.push(question);
    this.answering(response, question);
  }
}

/** Starts a backend on a free port. */
export async function openStubBackend(): Promise<StubBackend> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new StubBackend(server);
}
