import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually, within } from '@listen-gateway/testkit';
import { afterEach } from 'vitest';

const upstreams = new Set<RawUpstream>();

afterEach(async () => {
  for (const upstream of upstreams) await upstream.close();
});

/** One connection of the gateway to a `RawUpstream`. */
export class RawConnection {
  readonly socket: Socket;
  /** All bytes that came so far, one character each. */
  text = '';
  /** Resolves once it is over, however it ended. */
  readonly over: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      this.text += String(chunk);
    });
    socket.on('error', () => {});
    this.over = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** Resolves once so many whole POSTs came. */
  async requests(count = 1): Promise<void> {
    await eventually(5_000, `${count} requests on the connection`, () => wholeRequests(this.text) >= count);
  }
}

/** An upstream on a bare socket: says just the bytes that the test tells it to. */
export class RawUpstream {
  readonly connections: RawConnection[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on a free port; `answer` is told of each connection. Closed after the test. */
  static async open(answer: (connection: RawConnection) => unknown = () => {}): Promise<RawUpstream> {
    const server = createServer();
    const upstream = new RawUpstream(server);
    server.on('connection', (socket) => {
      const connection = new RawConnection(socket);
      upstream.connections.push(connection);
      answer(connection);
    });
    server.listen(0, '127.0.0.1');
    await within(5_000, 'the raw upstream', once(server, 'listening'));
    upstreams.add(upstream);
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async connection(number = 1): Promise<RawConnection> {
    await eventually(5_000, `connection ${number} to the upstream`, () => this.connections.length >= number);
    return this.connections[number - 1] as RawConnection;
  }

  async close(): Promise<void> {
    upstreams.delete(this);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { socket } of this.connections) socket.destroy();
    await within(5_000, 'the end of the raw upstream', closed);
  }
}

/** How many requests with a Content-Length stand whole in the text; bytes behind the last count as none. */
function wholeRequests(text: string): number {
  let rest = text;
  for (let count = 0; ; count += 1) {
    const head = rest.indexOf('\r\n\r\n');
    if (head === -1) return count;
    const length = Number(/^content-length: (\d+)$/im.exec(rest.slice(0, head))?.[1] ?? 0);
    if (rest.length < head + 4 + length) return count;
    rest = rest.slice(head + 4 + length);
  }
}
