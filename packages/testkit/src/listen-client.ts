import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Filter, LISTEN_METHOD, PROTOCOL_VERSION } from '@listen-gateway/protocol';
import { within } from './within.ts';

/** A JSON-RPC message as it came off a stream. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
  readonly result?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ListenOptions {
  readonly id?: string | number;
  readonly filter?: Filter;
  /** Merged over the canonical headers; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent in place of the canonical body. */
  readonly body?: string;
}

/** How an answer ended: with its last chunk, or cut. */
export type Ending = 'complete' | 'cut';

/** The canonical headers of a listen request. */
export const LISTEN_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': PROTOCOL_VERSION,
  'Mcp-Method': LISTEN_METHOD,
} as const;

/** The canonical body of a listen request; declares the Tasks extension where the filter needs it. */
export function listenBody(id: string | number, filter: Filter): string {
  const extensions = filter.taskIds === undefined ? {} : { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: LISTEN_METHOD,
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
        'io.modelcontextprotocol/clientCapabilities': extensions,
        'io.modelcontextprotocol/clientInfo': { name: 'listen-gateway-test', version: '1' },
      },
      notifications: filter,
    },
  });
}

/** Sends a listen request on a connection of its own and resolves with the head of its answer. */
export async function openListen(url: string, options: ListenOptions = {}): Promise<ListenAnswer> {
  const headers: Readonly<Record<string, string | undefined>> = { ...LISTEN_HEADERS, ...options.headers };
  const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const request = httpRequest(url, { method: 'POST', agent: false, headers: Object.fromEntries(present) });
  request.end(options.body ?? listenBody(options.id ?? 'L1', options.filter ?? { toolsListChanged: true }));
  const [response] = (await within(10_000, 'the head of the listen answer', once(request, 'response'))) as [
    IncomingMessage,
  ];
  return new ListenAnswer(request, response);
}

/** The answer to a listen request, as a host reads it. */
export class ListenAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Every message so far, also those that `next` has handed out. */
  readonly messages: RpcMessage[] = [];
  /** How many comment lines came. */
  comments = 0;
  /** The answer's raw text so far. */
  text = '';
  readonly ended: Promise<Ending>;
  readonly #request: ClientRequest;
  #unparsed = '';
  #read = 0;
  #wake: (() => void) | undefined;

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    request.on('error', () => {});
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    this.ended = new Promise((resolve) => {
      response.on('error', () => {});
      response.on('close', () => {
        resolve(response.complete ? 'complete' : 'cut');
        this.#wake?.();
      });
    });
  }

  /** The next message not handed out yet. */
  async next(what = 'the next message', limitMs = 5_000): Promise<RpcMessage> {
    return within(limitMs, what, this.#next());
  }

  /** Resolves with all messages once there are `count`. */
  async received(count: number, limitMs = 5_000): Promise<readonly RpcMessage[]> {
    while (this.#read < count) await this.next(`message ${this.#read + 1} of ${count}`, limitMs);
    return this.messages.slice(0, count);
  }

  /** The whole body, for an answer that is no stream. */
  async json(): Promise<RpcMessage> {
    await within(5_000, 'the end of the answer', this.ended);
    return JSON.parse(this.text) as RpcMessage;
  }

  /** Leaves as a host does. */
  close(): void {
    this.#request.destroy();
  }

  /** Leaves by a TCP reset. */
  reset(): void {
    this.#request.socket?.resetAndDestroy();
  }

  /** Stops reading from the connection, so that the sender's buffers fill up; and reads again. */
  pause(): void {
    this.#request.socket?.pause();
  }

  resume(): void {
    this.#request.socket?.resume();
  }

  async #next(): Promise<RpcMessage> {
    for (;;) {
      const message = this.messages[this.#read];
      if (message !== undefined) {
        this.#read += 1;
        return message;
      }
      const over = await Promise.race([
        this.ended,
        new Promise<undefined>((resolve) => (this.#wake = () => resolve(undefined))),
      ]);
      if (over !== undefined && this.messages[this.#read] === undefined) throw new Error(`the stream ended (${over})`);
    }
  }

  #take(text: string): void {
    this.text += text;
    this.#unparsed += text;
    const blocks = this.#unparsed.split('\n\n');
    this.#unparsed = blocks.pop() ?? '';
    for (const block of blocks) this.#takeBlock(block);
    this.#wake?.();
  }

  #takeBlock(block: string): void {
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments += 1;
      if (line.startsWith('data: ')) this.messages.push(JSON.parse(line.slice('data: '.length)) as RpcMessage);
    }
  }
}
