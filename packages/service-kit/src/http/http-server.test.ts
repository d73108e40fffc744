import { hasSubscribers } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';

const HELLO = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

const servers: HttpServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.cut();
});

async function start(options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const fetch = () => new Response('hello');
  const server = await startHttpServer({ fetch, host: '127.0.0.1', port: 0, ...options });
  servers.push(server);
  return server;
}

/** A raw connection that keeps all it was sent. */
async function open({ port }: HttpServer): Promise<{ socket: Socket; received(): string; ended: Promise<void> }> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, received: () => text, ended };
}

async function answered(connection: Awaited<ReturnType<typeof open>>, times = 1): Promise<void> {
  const { socket, received } = connection;
  const waiting = async () => {
    while (received().split('HTTP/1.1 200 OK').length - 1 < times) await once(socket, 'data');
  };
  await within(2_000, `answer ${times}`, waiting());
}

function streamOf(...parts: (string | Promise<string>)[]): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(await part));
      controller.close();
    },
  });
}

describe('an HTTP server', () => {
  it('serves what fetch answers, at the URL that it names', async () => {
    const server = await start({ fetch: (incoming) => new Response(new URL(incoming.url).pathname) });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(`${server.url}/a`)).text()).toBe('/a');
    const six = await start({ host: '::1' });
    expect(await (await fetch(six.url)).text()).toBe('hello');
  });

  it('leaves the globals Request and Response alone', async () => {
    const before = [globalThis.Request, globalThis.Response];
    await start();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('keeps an idle connection longer than a request may take, and longer than load balancers do (FIELD F4)', async () => {
    const server = await start({ keepAliveTimeoutMs: 5_000, requestTimeoutMs: 100 });
    const connection = await open(server);
    connection.socket.write(HELLO);
    await answered(connection);
    // Three times what a request may take to arrive; the answer says for how long the connection is good.
    await pause(300);
    connection.socket.write(HELLO);
    await answered(connection, 2);
    const response = await fetch((await start()).url);
    expect(response.headers.get('keep-alive')).toBe('timeout=75');
  });

  it('ends a request that does not arrive in time', async () => {
    const server = await start({ requestTimeoutMs: 100 });
    const slow = await open(server);
    slow.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\n');
    await within(2_000, 'the end of the slow request', slow.ended);
    expect(slow.received()).toContain('408');
  });

  it('refuses a head of more than 16 KiB', async () => {
    const { url } = await start();
    expect((await fetch(url, { headers: { 'X-Big': 'a'.repeat(15_000) } })).status).toBe(200);
    expect((await fetch(url, { headers: { 'X-Big': 'a'.repeat(17_000) } })).status).toBe(431);
  });

  it('says in one line where it cannot listen', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: the address is in use`);
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(/^cannot listen on 192\.0\.2\.1:0: .*EADDRNOTAVAIL/);
  });

  it('watches for nothing where it cannot listen', async () => {
    const { port } = await start();
    await expect(start({ port, onRefused: () => {} })).rejects.toThrow('cannot listen');
    expect(hasSubscribers('http.server.request.start')).toBe(false);
  });
});

describe('closing an HTTP server', () => {
  it('ends connections that are idle or never had a request, and closes twice', async () => {
    const server = await start();
    const unused = await open(server);
    const idle = await open(server);
    idle.socket.write(HELLO);
    await answered(idle);
    await within(2_000, 'the close', server.close());
    await within(2_000, 'the ends', Promise.all([unused.ended, idle.ended]));
    await within(2_000, 'the second close', server.close());
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it.each([
    ['not begun', false],
    ['begun', true],
  ])('waits for an answer that was %s, and then ends its connection', async (_how, begun) => {
    const asked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    const server = await start({
      fetch: async () => {
        const late = mayAnswer.promise.then(() => 'late');
        if (!begun) asked.resolve();
        return new Response(begun ? streamOf('early, ', late) : await late);
      },
    });
    const agent = new Agent({ keepAlive: true });
    const answer = once(request(server.url, { agent }).end(), 'response');
    if (begun) void answer.then(() => asked.resolve());
    await within(2_000, 'the request', asked.promise);
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await pause(20);
    expect(closed).toBe(false);
    mayAnswer.resolve();
    const [response] = await within(2_000, 'the answer', answer);
    expect((await response.toArray()).join('')).toBe(begun ? 'early, late' : 'late');
    expect(response.headers.connection).toBe(begun ? 'keep-alive' : 'close');
    await within(2_000, 'the close', closing);
    agent.destroy();
  });

  it('is cut short by a cut', async () => {
    const server = await start({ fetch: () => new Promise<never>(() => {}) });
    const hanging = await open(server);
    hanging.socket.write(HELLO);
    const closing = server.close();
    await pause(20);
    server.cut();
    await within(2_000, 'the close', closing);
    await within(2_000, 'the end', hanging.ended);
  });
});
