import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { systemClock } from '@listen-gateway/service-kit';
import { openListen, startService, within } from '@listen-gateway/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGateway } from '../test/test-gateway.ts';

const RUSH = 1_500;

describe('hosts that come all at once', () => {
  it('are let in by turns of the event loop, so that others need not wait for all of them', async () => {
    let turns: (() => void)[] = [];
    const clock = { ...systemClock, soon: (task: () => void) => void turns.push(task) };
    const gateway = await openGateway({}, { clock });
    const rush = Array.from({ length: 40 }, (_, id) => openListen(gateway.url, { id }));
    await gateway.holds(32);

    const other = await fetch(gateway.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(other.status, 'refused, but answered').toBeGreaterThanOrEqual(400);
    expect(await gateway.metric('lg_streams_open')).toBe(32);

    const [now, ...later] = turns;
    expect(later).toEqual([]);
    turns = [];
    now?.();
    await gateway.holds(40);
    for (const stream of await Promise.all(rush)) expect(stream.status).toBe(200);
  });

  it('find room in the backlog of an instance that is busy, more than Node keeps by itself', async () => {
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
    expect(most, 'net.core.somaxconn; raise it with sysctl').toBeGreaterThan(RUSH);
    const gateway = await startService('gateway');
    onTestFinished(() => gateway.kill());
    const { hostname, port } = new URL(gateway.url);
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });

    gateway.signal('SIGSTOP');
    const connected = Array.from({ length: RUSH }, () => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      return once(socket, 'connect');
    });
    await within(15_000, 'all to be connected', Promise.all(connected));
  });
});
