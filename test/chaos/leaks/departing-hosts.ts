import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LISTEN_HEADERS, listenBody } from '@listen-gateway/testkit';

/** How a host leaves: in good order, by a reset, by closing its sending side alone, or killed with its whole process. */
export type Departure = 'FIN' | 'RST' | 'half-close' | 'kill -9';

/** What such a process does, then it says `done`; where its hosts are to be killed they are all open by then. */
export interface DeparturesOrder {
  readonly port: number;
  readonly servers: readonly string[];
  readonly streams: number;
  readonly departure: Departure;
  /** Makes the URIs of the hosts their own. */
  readonly name: string;
}

/** Streams that are open at a time, but for those that are killed. */
const AT_ONCE = 100;

process.on('disconnect', () => process.exit());
process.on('message', (order: DeparturesOrder) => {
  run(order).then(
    () => process.send?.('done'),
    (cause: unknown) => process.send?.(String(cause)),
  );
});

async function run({ streams, departure, ...order }: DeparturesOrder): Promise<void> {
  for (let opened = 0; opened < streams; opened += AT_ONCE) {
    const count = Math.min(AT_ONCE, streams - opened);
    const sockets = await Promise.all(Array.from({ length: count }, (_, index) => listen(order, opened + index)));
    await Promise.all(sockets.map((socket) => leave(socket, departure)));
  }
}

/** Opens a stream for a URI that no other has; resolves once it is acknowledged. */
async function listen({ port, servers, name }: Omit<DeparturesOrder, 'streams' | 'departure'>, index: number) {
  const body = listenBody(`${name}-${index}`, {
    toolsListChanged: true,
    resourceSubscriptions: [`file:///${name}/${index}`.padEnd(1_000, 'x')],
  });
  const headers = { Host: 'localhost', ...LISTEN_HEADERS, 'Content-Length': String(body.length) };
  const head = Object.entries(headers).map(([field, value]) => `${field}: ${value}\r\n`);
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(`POST /mcp/${servers[index % servers.length]} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => reject(new Error('a stream ended before it was acknowledged')));
    const look = (chunk: Buffer) => {
      if (!chunk.includes('acknowledged')) return;
      socket.off('data', look);
      socket.resume();
      resolve();
    };
    socket.on('data', look);
  });
  return socket;
}

async function leave(socket: Socket, departure: Departure): Promise<void> {
  if (departure === 'kill -9') return;
  const closed = once(socket, 'close');
  if (departure === 'RST') socket.resetAndDestroy();
  else if (departure === 'FIN') socket.destroy();
  // Closed once the other side has ended it too.
  else socket.end();
  await closed;
}
