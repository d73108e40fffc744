import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { watchNodeRefusals } from './node-refusals.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that refuses by itself what takes 200 ms or has 2 KiB of head. */
async function start(answer: RequestListener = (_request, response) => void response.end('hello')): Promise<Server> {
  const times = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50, keepAliveTimeout: 200 };
  const server = createServer({ ...times, maxHeaderSize: 2_048 }, answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

/** All that comes back until the server ends the connection, dates left out; `more` is sent once something has come. */
async function answerOf(server: Server, bytes: string, thenEnd: boolean, more = ''): Promise<string> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    if (text === '' && more !== '') socket.write(more, 'latin1');
    text += String(chunk);
  });
  socket.on('error', () => {});
  if (thenEnd) socket.end(bytes, 'latin1');
  else socket.write(bytes, 'latin1');
  await within(5_000, 'the end of the connection', Promise.race([once(socket, 'end'), once(socket, 'close')]));
  socket.destroy();
  return text.replace(/^Date: .*\r\n/gm, '');
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** What is sent, whether the host then ends its side, and the statuses that come of it. */
const CASES: readonly (readonly [what: string, bytes: string, thenEnd: boolean, statuses: readonly number[]])[] = [
  ['no HTTP at all', 'hello\r\n\r\n', false, [400]],
  ['a head without a name', `${HEAD}: x\r\n\r\n`, false, [400]],
  ['two framings', `${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`, false, [400]],
  ['a length that is none', `${HEAD}Content-Length: abc\r\n\r\n`, false, [400]],
  ['a head that breaks off', HEAD, true, [400]],
  ['a head that is too large', `${HEAD}X: ${'x'.repeat(3_000)}\r\n\r\n`, false, [431]],
  ['a head that never ends', HEAD, false, [408]],
  ['nothing', '', false, [408]],
  ['no Host', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n', false, [400]],
  ['no Host in HTTP/1.0, which is good', 'GET / HTTP/1.0\r\n\r\n', false, []],
  ['something to expect that nobody knows', `${HEAD}Expect: miracles\r\nContent-Length: 0\r\n\r\n`, true, [417]],
  ['a good request', `${HEAD}Connection: close\r\nContent-Length: 0\r\n\r\n`, false, []],
];

describe('what Node refuses by itself', () => {
  it.each(CASES)('is answered as Node answers it, and told of: %s', async (_what, bytes, thenEnd, statuses) => {
    const told: number[] = [];
    const [bare, watched] = [await start(), await start()];
    watchNodeRefusals(watched, (status) => told.push(status));
    const answers = await Promise.all([answerOf(bare, bytes, thenEnd), answerOf(watched, bytes, thenEnd)]);
    expect(answers[1]).toBe(answers[0]);
    expect(told).toEqual(statuses);
    for (const status of statuses) expect(answers[1]).toContain(`HTTP/1.1 ${status} `);
  });

  it('is answered with 413 where the extensions of a chunk have no end', async () => {
    const told: number[] = [];
    const read: RequestListener = (request, response) => request.resume().on('end', () => response.end());
    const [bare, watched] = [await start(read), await start(read)];
    watchNodeRefusals(watched, (status) => told.push(status));
    const bytes = `${CHUNKED}1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`;
    const answers = await Promise.all([answerOf(bare, bytes, false), answerOf(watched, bytes, false)]);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 413 /);
    expect(answers[1]).toBe(answers[0]);
    expect(told).toEqual([413]);
  });

  it('is not answered in the middle of another answer, and not told of', async () => {
    const told: number[] = [];
    const stream: RequestListener = (_request, response) => void response.writeHead(200).write('a part');
    const [bare, watched] = [await start(stream), await start(stream)];
    watchNodeRefusals(watched, (status) => told.push(status));
    const good = `${HEAD}Content-Length: 0\r\n\r\n`;
    const answers = await Promise.all([bare, watched].map((server) => answerOf(server, good, false, 'hello\r\n\r\n')));
    expect(answers[0]?.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(answers[1]).toBe(answers[0]);
    expect(told).toEqual([]);
  });

  it('is told of where it follows a request that was served', async () => {
    const told: number[] = [];
    const watched = await start();
    watchNodeRefusals(watched, (status) => told.push(status));
    const good = `${HEAD}Content-Length: 0\r\n\r\n`;
    const answer = await answerOf(watched, good, false, 'hello\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(told).toEqual([400]);
  });

  it('is told of by the server that refused it, and by none that is closed', async () => {
    const told: string[] = [];
    const [one, other] = [await start(), await start()];
    watchNodeRefusals(one, () => told.push('one'));
    watchNodeRefusals(other, () => told.push('other'));
    const noHost = 'GET / HTTP/1.1\r\n\r\n';
    await answerOf(one, noHost, false);
    expect(told).toEqual(['one']);
    one.close();
    one.closeAllConnections();
    await answerOf(other, noHost, false);
    expect(told).toEqual(['one', 'other']);
  });
});
