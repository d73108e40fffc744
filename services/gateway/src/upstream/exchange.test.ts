import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually, within } from '@listen-gateway/testkit';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StubUpstream } from '../../test/stub-upstream.ts';
import { Exchange, type ExchangeOutcome } from './exchange.ts';

/** A host on a bare socket, and Node's response to its request, which it may still leave. */
interface Waiting {
  readonly outgoing: ServerResponse;
  readonly leave: () => Promise<unknown>;
  readonly text: () => string;
}

let server: Server;
let pool: Pool;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await pool.destroy();
});

async function waitingHost(): Promise<Waiting> {
  const request = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, outgoing] = (await within(5_000, 'the request', request)) as [IncomingMessage, ServerResponse];
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += String(chunk);
    });
  const closed = once(outgoing, 'close');
  return {
    outgoing,
    text: () => text,
    leave: () => {
      socket.resetAndDestroy();
      return within(5_000, 'the host to have left', closed);
    },
  };
}

function exchange(upstream: StubUpstream, outgoing: ServerResponse): Promise<ExchangeOutcome> {
  pool = new Pool(new URL(upstream.url).origin);
  const begun = new Exchange(outgoing);
  pool.dispatch({ path: '/mcp', method: 'POST', body: '{"id":1}' }, begun);
  return within(5_000, 'the end of the exchange', begun.done);
}

describe('an exchange', () => {
  it('is answered with the status that the host got', async () => {
    const upstream = await StubUpstream.open(({ response }) => response.writeHead(207).end('both'));
    const host = await waitingHost();
    expect(await exchange(upstream, host.outgoing)).toEqual({ kind: 'answered', status: 207 });
    await eventually(5_000, 'the answer', () => host.text().endsWith('\r\n\r\n4\r\nboth\r\n0\r\n\r\n'));
  });

  it('has failed, with its cause and no byte at the host, where the upstream gave no head', async () => {
    const upstream = await StubUpstream.open(({ response }) => response.destroy());
    const host = await waitingHost();
    const outcome = await exchange(upstream, host.outgoing);
    expect(outcome).toMatchObject({ kind: 'failed', cause: { code: 'UND_ERR_SOCKET' } });
    expect([host.outgoing.headersSent, host.outgoing.destroyed, host.text()]).toEqual([false, false, '']);
  });

  it('is cut, and the response of the host with it, where the upstream breaks off after its head', async () => {
    const upstream = await StubUpstream.open(({ response }) => {
      response.writeHead(200).write('half', () => response.destroy());
    });
    const host = await waitingHost();
    expect(await exchange(upstream, host.outgoing)).toMatchObject({ kind: 'cut', cause: { code: 'UND_ERR_SOCKET' } });
    expect(host.outgoing.destroyed).toBe(true);
  });

  it('ends with the host, whose upstream is told', async () => {
    const upstream = await StubUpstream.open(() => {});
    const host = await waitingHost();
    const outcome = exchange(upstream, host.outgoing);
    const { over } = await upstream.request();
    await host.leave();
    expect(await outcome).toEqual({ kind: 'host-gone' });
    await within(1_000, 'the upstream to be told', over);
  });

  it('for a host that had left before it began never reaches the upstream', async () => {
    const upstream = await StubUpstream.open();
    const host = await waitingHost();
    await host.leave();
    expect(await exchange(upstream, host.outgoing)).toEqual({ kind: 'host-gone' });
    await pool.close();
    expect(upstream.requests).toEqual([]);
  });

  it('for a host that leaves while the connection is being made never reaches the upstream', async () => {
    const upstream = await StubUpstream.open();
    const host = await waitingHost();
    const { promise: free, resolve: connectNow } = Promise.withResolvers<void>();
    const begun = new Exchange(host.outgoing);
    pool = new Pool(new URL(upstream.url).origin, {
      connect: (_options, callback) => {
        const socket = connect(upstream.port, '127.0.0.1');
        void Promise.all([free, once(socket, 'connect')]).then(() => callback(null, socket));
      },
    });
    pool.dispatch({ path: '/mcp', method: 'POST', body: '{"id":1}' }, begun);
    await host.leave();
    expect(await within(1_000, 'the end of the exchange', begun.done)).toEqual({ kind: 'host-gone' });
    connectNow();
    await eventually(
      5_000,
      'the connection to be dropped',
      () => upstream.connections === 1 && upstream.openConnections === 0,
    );
    expect(upstream.requests).toEqual([]);
  });
});
