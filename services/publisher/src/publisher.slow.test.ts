import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TestPublisher } from '../test/test-publisher.ts';

let lab: TestPublisher | undefined;
afterEach(() => lab?.close());

const HEAD = 'POST /v1/servers/default/changes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** Sends text byte by byte until the other side has had enough, and resolves with what it said. */
async function drip(url: string, start: string, more: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  let ended = false;
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
  });
  await once(socket, 'connect');
  socket.write(start);
  const timer = setInterval(() => socket.write(more), 50);
  try {
    await eventually(5_000, 'the end of the connection', () => ended);
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
  return received;
}

describe('a publisher', () => {
  it.each([
    ['a head', HEAD, 'X-A: b\r\n'],
    ['a body', `${HEAD}Content-Length: 100000\r\n\r\n`, ' '],
    ['a body in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['nothing', '', ''],
  ])('gives %s that drips the time of its configuration', async (_what, start, more) => {
    lab = await new TestPublisher().start({ requestTimeoutMs: 400 });
    expect(await drip(lab.publisher.url, start, more)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect(lab.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('keeps an idle connection for the time of its configuration', async () => {
    lab = await new TestPublisher().start({ keepAliveTimeoutMs: 200 });
    expect(await drip(lab.publisher.url, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n', '')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it('refuses a head of more bytes than its configuration has, with 431', async () => {
    lab = await new TestPublisher().start({ headerBytes: 2_048 });
    const start = `${HEAD}X-A: ${'a'.repeat(3_000)}\r\n\r\n`;
    expect(await drip(lab.publisher.url, start, '')).toMatch(/^HTTP\/1\.1 431 /);
  });
});
