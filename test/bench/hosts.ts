import { connect, type Socket } from 'node:net';
import { LISTEN_HEADERS, listenBody } from '@listen-gateway/testkit';

/**
 * Many hosts in one process, as cheap as they can be: a socket each, no parser. Driven by its parent over IPC, so that
 * what the hosts cost is not counted against the server.
 */
export type HostsOrder =
  | { readonly type: 'open'; readonly port: number; readonly streams: number; readonly id: string }
  | { readonly type: 'expect' }
  | { readonly type: 'close' };

export type HostsReport =
  | { readonly type: 'opened'; readonly tookMs: number }
  | { readonly type: 'expecting' }
  /** When the first and the last host had the change, as `performance.timeOrigin + performance.now()`. */
  | { readonly type: 'received'; readonly firstAt: number; readonly lastAt: number }
  | { readonly type: 'closed' };

/** How many hosts connect at once. */
const CONCURRENCY = 64;

const sockets: Socket[] = [];
let missing = 0;
let firstAt = 0;

process.on('message', (order: HostsOrder) => {
  switch (order.type) {
    case 'open':
      void open(order);
      break;
    case 'expect':
      missing = sockets.length;
      firstAt = 0;
      report({ type: 'expecting' });
      break;
    case 'close':
      for (const socket of sockets.splice(0)) socket.destroy();
      report({ type: 'closed' });
      break;
  }
});

async function open(order: HostsOrder & { type: 'open' }): Promise<void> {
  const startedAt = performance.now();
  const body = listenBody(order.id, { toolsListChanged: true });
  const headers = { Host: `127.0.0.1:${order.port}`, ...LISTEN_HEADERS, 'Content-Length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  let started = 0;
  const openNext = async (): Promise<void> => {
    while (started < order.streams) {
      started += 1;
      await openOne(order.port, request);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, openNext));
  report({ type: 'opened', tookMs: performance.now() - startedAt });
}

function openOne(port: number, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('error', reject);
    socket.once('data', (head) => {
      if (!head.includes('notifications/subscriptions/acknowledged')) reject(new Error(head.toString()));
      socket.on('data', received);
      resolve();
    });
    sockets.push(socket);
  });
}

function received(chunk: Buffer): void {
  // Keepalive comments are shorter than any notification.
  if (chunk.length < 32) return;
  const at = performance.timeOrigin + performance.now();
  if (firstAt === 0) firstAt = at;
  missing -= 1;
  if (missing === 0) report({ type: 'received', firstAt, lastAt: at });
}

function report(message: HostsReport): void {
  process.send?.(message);
}
