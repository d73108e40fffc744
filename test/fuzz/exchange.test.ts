import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange, judge } from './exchange.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The port of a service that does this with each connection. */
async function service(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const WHOLE = { pieces: [Buffer.from('GET / HTTP/1.1\r\n\r\n')], whole: true };
const PART = { pieces: [Buffer.from('GET / HT')], whole: false };

describe('a fuzz run', () => {
  it('notices a service that hangs', async () => {
    const port = await service(() => {});
    for (const request of [WHOLE, PART]) {
      await expect(exchange(port, request, 300)).rejects.toThrow('an answer, or the end of the connection');
    }
  });

  it('notices a whole request that gets no answer', async () => {
    const port = await service((socket) => void socket.once('data', () => socket.destroy()));
    await expect(exchange(port, WHOLE)).rejects.toThrow('without an answer');
    expect(await exchange(port, PART)).toBe('');
  });

  it('notices a service that is gone', async () => {
    await expect(exchange(1, WHOLE)).rejects.toThrow();
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\n', true],
    ['HTTP/1.1 404 Not Found\r\n\r\n', true],
    ['HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\n\r\n', true],
    ['HTTP/1.1 503 Service Unavailable\r\n\r\n', false],
    ['HTTP/1.1 500 Internal Server Error\r\n\r\n', false],
    ['HTTP/1.1 502 Bad Gateway\r\n\r\n', false],
    ['nonsense\r\n\r\n', false],
  ])('takes %j for an answer that may be given: %s', async (head, isFine) => {
    const port = await service((socket) => void socket.once('data', () => socket.end(head)));
    const text = await exchange(port, WHOLE);
    if (isFine) expect(() => judge(text)).not.toThrow();
    else expect(() => judge(text)).toThrow('an undocumented answer');
  });
});
