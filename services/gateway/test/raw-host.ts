import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LISTEN_HEADERS, listenBody, within } from '@listen-gateway/testkit';
import { afterEach } from 'vitest';

const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

/** A host on a bare socket: sends just the bytes it is told to, and keeps those that come back. */
export class RawHost {
  readonly socket: Socket;
  /** All that came so far. */
  text = '';
  /** Resolves once the other side has ended the connection, in good order or not. */
  readonly ended: Promise<void>;
  #isOver = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      this.text += String(chunk);
      this.#wake();
    });
    socket.on('error', () => {});
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#isOver = true;
        resolve();
        this.#wake();
      };
      socket.on('end', end);
      socket.on('close', end);
    });
  }

  /** Connects; each direction of the connection ends on its own. */
  static async connect(url: string): Promise<RawHost> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    await within(5_000, 'the connection', once(socket, 'connect'));
    return new RawHost(socket);
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Resolves once `pattern` stands in what came. */
  async until(pattern: RegExp, what: string, limitMs = 5_000): Promise<RegExpMatchArray> {
    return within(limitMs, what, this.#until(pattern));
  }

  async over(limitMs = 5_000): Promise<void> {
    await within(limitMs, 'the end of the connection', this.ended);
  }

  async #until(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = this.text.match(pattern);
      if (match !== null) return match;
      if (this.#isOver) throw new Error(`the connection is over; it brought ${JSON.stringify(this.text)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A POST as it stands on the wire. */
export interface RawPost {
  readonly path?: string;
  readonly version?: '1.0' | '1.1';
  /** In place of the canonical headers of a listen; repeated names are separate lines. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Added to them. */
  readonly extra?: readonly (readonly [string, string])[];
  readonly body?: string;
}

/** The bytes of a listen request, or of another POST; `Content-Length` counts the body. */
export function rawPost({ path = '/mcp', version = '1.1', headers, extra = [], body }: RawPost = {}): string {
  const text = body ?? listenBody('L1', { toolsListChanged: true });
  const fields = headers ?? [['Host', 'localhost'], ...Object.entries(LISTEN_HEADERS)];
  const lines = [...fields, ...extra, ['Content-Length', String(Buffer.byteLength(text))]];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `POST ${path} HTTP/${version}\r\n${head}\r\n${text}`;
}

/** The body that stands behind the head of a chunked answer, its framing taken off; throws where the framing is broken. */
export function unchunked(answer: string): {
  readonly text: string;
  readonly complete: boolean;
  readonly rest: string;
} {
  let rest = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  let text = '';
  for (;;) {
    const size = rest.match(/^([0-9a-f]+)\r\n/);
    if (size === null) return { text, complete: false, rest };
    const length = Number.parseInt(size[1] as string, 16);
    const start = size[0].length;
    if (rest.length < start + length + 2) return { text, complete: false, rest };
    if (rest.slice(start + length, start + length + 2) !== '\r\n') throw new Error(`a broken chunk at ${rest}`);
    text += rest.slice(start, start + length);
    rest = rest.slice(start + length + 2);
    if (length === 0) return { text, complete: true, rest };
  }
}
