import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { openTcpRelay, type TcpRelay } from './tcp-relay.ts';
import { within } from './within.ts';

describe('a TCP relay', () => {
  let echo: Server;
  let relay: TcpRelay;

  beforeEach(async () => {
    const port = await freePort();
    echo = createServer((socket) => void socket.pipe(socket).on('error', () => {})).listen(port, '127.0.0.1');
    await once(echo, 'listening');
    relay = await openTcpRelay(`redis://127.0.0.1:${port}`);
  });

  afterEach(async () => {
    await relay.close();
    echo.close();
  });

  const open = () => connect({ host: '127.0.0.1', port: Number(new URL(relay.url).port) }).on('error', () => {});
  const answer = (socket: Socket) => within(1_000, 'the echo', once(socket, 'data'));

  it('passes bytes both ways', async () => {
    const socket = open();
    socket.write('hello');
    expect(String(await answer(socket))).toBe('hello');
    socket.destroy();
  });

  it('ends connections while it is cut, and takes new ones once it is restored', async () => {
    const before = open();
    before.write('hello');
    await answer(before);
    relay.cut();
    const during = open();
    await within(1_000, 'both ends', Promise.all([before, during].map((socket) => once(socket, 'close'))));
    relay.restore();
    const after = open();
    after.write('hello');
    expect(String(await answer(after))).toBe('hello');
    after.destroy();
  });

  it('freezes the connections of now and no later ones', async () => {
    const frozen = open();
    frozen.write('hello');
    await answer(frozen);
    relay.freeze();
    frozen.write('anybody?');
    const fresh = open();
    fresh.write('hello');
    await answer(fresh);
    expect(frozen.readableLength).toBe(0);
    expect(frozen.readyState).toBe('open');
    frozen.destroy();
    fresh.destroy();
  });
});
