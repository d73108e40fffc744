import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually, within } from '@listen-gateway/testkit';
import { afterEach } from 'vitest';

/** A request as the upstream got it. */
export class SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly rawHeaders: readonly string[];
  readonly response: ServerResponse;
  /** Resolves once its response is over, in good order or because the other side left. */
  readonly over: Promise<void>;

  constructor(incoming: IncomingMessage, body: Buffer, response: ServerResponse) {
    this.method = incoming.method ?? '';
    this.url = incoming.url ?? '';
    this.body = body;
    this.rawHeaders = incoming.rawHeaders;
    this.response = response;
    this.over = new Promise((resolve) => response.once('close', resolve));
  }

  /** The values of all header lines of this name, in order. */
  values(name: string): readonly string[] {
    const isNamed = (at: number) => at % 2 === 1 && this.rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase();
    return this.rawHeaders.filter((_, at) => isNamed(at));
  }

  get json(): { readonly id?: string | number; readonly method?: string; readonly params?: Record<string, unknown> } {
    return JSON.parse(this.body.toString());
  }
}

/** Answers one request, at once or over time. */
export type Answer = (request: SeenRequest) => unknown;

const upstreams = new Set<StubUpstream>();

afterEach(async () => {
  for (const upstream of upstreams) await upstream.close();
});

/** An upstream that records each request that reaches it, and answers as the test says. */
export class StubUpstream {
  readonly requests: SeenRequest[] = [];
  /** How many connections were made to it so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #answer: Answer;

  private constructor(server: Server, answer: Answer) {
    this.#server = server;
    this.#answer = answer;
  }

  /** Listens on a free port, or on one that a closed upstream left; it is closed after the test. */
  static async open(answer: Answer = answerEmpty, port = 0): Promise<StubUpstream> {
    const server = createServer({ requireHostHeader: false });
    const upstream = new StubUpstream(server, answer);
    server.on('request', (incoming, response) => upstream.#take(incoming, response));
    server.on('connection', (socket) => upstream.#count(socket));
    server.listen(port, '127.0.0.1');
    await within(5_000, 'the stub upstream', once(server, 'listening'));
    upstreams.add(upstream);
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** How it answers from now on. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }

  /** Resolves with a request once it has arrived whole, the first unless told otherwise. */
  async request(number = 1): Promise<SeenRequest> {
    await eventually(5_000, `request ${number} at the upstream`, () => this.requests.length >= number);
    return this.requests[number - 1] as SeenRequest;
  }

  /** Cuts what is open and gives its port back. */
  async close(): Promise<void> {
    upstreams.delete(this);
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await within(5_000, 'the end of the stub upstream', closed);
  }

  #count(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #take(incoming: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const request = new SeenRequest(incoming, Buffer.concat(parts), response);
      this.requests.push(request);
      this.#answer(request);
    });
  }
}

/** An empty result for a request, `202` for what is none; discover declares all that can change. */
function answerEmpty({ body, response }: SeenRequest): void {
  const { id, method } = body.length === 0 ? {} : JSON.parse(body.toString());
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const discovered = method === 'server/discover' && { capabilities: { tools: {}, prompts: {}, resources: {} } };
  const result = { resultType: 'complete', ...discovered };
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** An answer that is this and nothing else. */
export function answerWith(
  status: number,
  headers: Readonly<Record<string, string | string[]>>,
  body?: Buffer | string,
): Answer {
  return ({ response }) => response.writeHead(status, headers).end(body);
}
