import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Opens a relay on a free loopback port to where `url` points; `relay.url` is the same URL by way of it. */
export async function openTcpRelay(url: string): Promise<TcpRelay> {
  const target = new URL(url);
  const server = createServer();
  const relay = new TcpRelay(server, target);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return relay;
}

/** A link that a test can break: what a network does to a connection, without a network. */
export class TcpRelay {
  readonly #server: Server;
  readonly #target: URL;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #whole = true;

  constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (near) => this.#relay(near));
  }

  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Ends every connection and every new one until `restore`. */
  cut(): void {
    this.#whole = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  restore(): void {
    this.#whole = true;
  }

  /**
   * The connections of now pass nothing on any more, and neither side is told; new ones are well. `only`: of these alone,
   * by the port that the target sees.
   */
  freeze(only?: readonly number[]): void {
    for (const pair of this.#pairs) {
      if (only && !only.includes(pair[1].localPort ?? 0)) continue;
      for (const socket of pair) socket.unpipe().pause();
    }
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #relay(near: Socket): void {
    near.on('error', () => {});
    if (!this.#whole) {
      near.destroy();
      return;
    }
    const far = connect({ host: this.#target.hostname, port: Number(this.#target.port || 6379) });
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    far.on('error', () => {});
    far.on('close', () => near.destroy());
    near.on('close', () => {
      far.destroy();
      this.#pairs.delete(pair);
    });
    near.pipe(far);
    far.pipe(near);
  }
}
