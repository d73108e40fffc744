import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { PROTOCOL_VERSION } from '@listen-gateway/protocol';
import { eventually, type RpcMessage, within } from '@listen-gateway/testkit';
import { type ConfigSketch, openGateway, type TestGateway } from './test-gateway.ts';

/** A request as a host sends it. */
export interface Sent {
  readonly method?: 'POST' | 'GET' | 'DELETE';
  /** Merged over those of the message; a list is so many lines, `undefined` takes the header away. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: string | Buffer;
}

export const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;

/** Starts an instance that serves `default` in front of this upstream; `settings` are added to the upstream's. */
export function openProxy(url: string, settings: ConfigSketch = {}, sketch: ConfigSketch = {}): Promise<TestGateway> {
  return openGateway({ servers: { default: { upstream: { url, ...settings } } }, ...sketch });
}

/** A message of this revision with the headers that mirror it; without an id a notification. */
export function message(method: string, params: object = {}, id: string | number | null = 'R1'): Sent {
  const { name, uri } = params as { readonly name?: string; readonly uri?: string };
  const mirrored = name ?? uri;
  const body = { jsonrpc: '2.0', ...(id !== null && { id }), method, params: { _meta: META, ...params } };
  return {
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': PROTOCOL_VERSION,
      'Mcp-Method': method,
      ...(mirrored !== undefined && { 'Mcp-Name': mirrored }),
    },
    body: JSON.stringify(body),
  };
}

/** A tool call, the request that a proxy forwards most. */
export const CALL = message('tools/call', { name: 'work', arguments: {} });

/** A message of the revision before this one. */
export function legacyMessage(body: object): Sent {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return { headers: { ...headers, 'MCP-Protocol-Version': '2025-11-25' }, body: JSON.stringify(body) };
}

/** Sends a request on a connection of its own; its answer may be awaited. */
export function send(url: string, { method = 'POST', headers = {}, body }: Sent): ProxiedHost {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  const request = httpRequest(url, { method, agent: false, headers: Object.fromEntries(present) });
  request.end(body);
  return new ProxiedHost(request);
}

/** A host that waits for the answer to one request. */
export class ProxiedHost {
  readonly #request: ClientRequest;
  readonly #response: Promise<HostAnswer>;

  constructor(request: ClientRequest) {
    this.#request = request;
    // Without a listener the reset of a host that left would be an uncaught error.
    request.on('error', () => {});
    this.#response = once(request, 'response').then(([response]) => new HostAnswer(response as IncomingMessage));
    this.#response.catch(() => {});
  }

  /** The head of the answer, and its body as it comes. */
  async answer(limitMs = 5_000): Promise<HostAnswer> {
    return within(limitMs, 'the head of the answer', this.#response);
  }

  /** Leaves in good order, before or after the head. */
  leave(): void {
    this.#request.destroy();
  }

  /** Leaves by a TCP reset. */
  async reset(): Promise<void> {
    if (this.#request.socket === null) await once(this.#request, 'socket');
    this.#request.socket?.resetAndDestroy();
  }
}

/** An answer as the host gets it, byte for byte. */
export class HostAnswer {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
  /** How it ended: with its last byte, or cut. */
  readonly ended: Promise<'complete' | 'cut'>;
  readonly #response: IncomingMessage;
  readonly #parts: Buffer[] = [];

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.reason = response.statusMessage ?? '';
    this.rawHeaders = response.rawHeaders;
    response.on('error', () => {});
    response.on('data', (part: Buffer) => this.#parts.push(part));
    this.ended = new Promise((resolve) => {
      response.on('close', () => resolve(response.complete ? 'complete' : 'cut'));
    });
  }

  /** What came of the body so far. */
  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** The values of all header lines of this name, in order. */
  values(name: string): readonly string[] {
    const isNamed = (at: number) => at % 2 === 1 && this.rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase();
    return this.rawHeaders.filter((_, at) => isNamed(at));
  }

  /** Resolves once `text` stands in the body. */
  async shows(text: string): Promise<void> {
    await eventually(5_000, `${JSON.stringify(text)} in the answer`, () => this.text.includes(text));
  }

  async end(): Promise<'complete' | 'cut'> {
    return within(5_000, 'the end of the answer', this.ended);
  }

  /** The whole body, parsed. */
  async json(): Promise<RpcMessage> {
    await this.end();
    return JSON.parse(this.text) as RpcMessage;
  }

  /** Stops reading, so that the sender's buffers fill up; and reads again. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }
}
