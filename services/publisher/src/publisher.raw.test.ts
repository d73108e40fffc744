import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually, within } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestPublisher, TOOLS } from '../test/test-publisher.ts';

let lab: TestPublisher;

beforeEach(async () => {
  lab = await new TestPublisher().start();
  await lab.listen();
});
afterEach(async () => {
  expect(lab.logged.filter(({ level }) => level !== 'debug' && level !== 'info')).toEqual([]);
  await lab.close();
});

const HEAD = 'POST /v1/servers/default/changes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** A connection by hand; `received` grows until `ended`. */
async function open() {
  const socket = connect(Number(new URL(lab.publisher.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const connection = { socket, received: '', ended: false };
  socket.on('data', (chunk) => {
    connection.received += String(chunk);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    connection.ended = true;
  });
  return connection;
}

/** Sends a request as it is and resolves with all that came back once the connection ended. */
async function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const connection = await open();
  for (const part of parts) connection.socket.write(part);
  await eventually(2_000, 'the end of the connection', () => connection.ended);
  return connection.received;
}

const withLength = (body: Buffer) =>
  [`${HEAD}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`, body] as const;

describe('a body that cannot be read', () => {
  it.each([
    ['{bad', Buffer.from('{bad')],
    ['nothing', Buffer.from('')],
    ['white space', Buffer.from(' \n')],
    ['a cut character', Buffer.from('{"method":"é"}').subarray(0, -3)],
    ['Latin-1', Buffer.from('{"method":"é"}', 'latin1')],
    ['UTF-16', Buffer.from(JSON.stringify(TOOLS), 'utf16le')],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['two values', Buffer.from(`${JSON.stringify(TOOLS)}{}`)],
    ['gzip by the wrong name', gzipSync(JSON.stringify(TOOLS))],
    ['half a million brackets', Buffer.from(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)],
    ['a task of 100,000 levels', Buffer.from(deepTask(100_000))],
    ['a task of 101 levels', Buffer.from(deepTask(99))],
  ])('(%s) is refused with 400 as a problem (FIELD A11)', async (_what, body) => {
    const answer = await exchange(...withLength(body));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.*\r\n)*content-type: application\/problem\+json/);
    expect(answer).toContain('urn:listen-gateway:problem:malformed-body');
    expect(lab.listener.heard).toEqual([]);
  });

  it('is not one that is nested as deep as a task may be', async () => {
    expect(await exchange(...withLength(Buffer.from(deepTask(98))))).toContain('HTTP/1.1 202 Accepted');
  });
});

describe('a body that is too large', () => {
  const MIB = 1024 * 1024;
  const padded = (bytes: number) => JSON.stringify(TOOLS).padEnd(bytes);

  it('begins one byte above 1 MiB', async () => {
    expect(await exchange(...withLength(Buffer.from(padded(MIB))))).toContain('HTTP/1.1 202');
    expect(await exchange(...withLength(Buffer.from(padded(MIB + 1))))).toContain('HTTP/1.1 413');
  });

  it('is refused by its length before it is read, and the connection closed (FIELD B23)', async () => {
    const answer = await exchange(`${HEAD}Content-Length: ${50 * MIB}\r\n\r\n`, '{');
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close/is);
    expect(answer).toContain('urn:listen-gateway:problem:body-too-large');
  });

  it('is refused in chunks as soon as it crosses the limit, and the connection closed (FIELD B23)', async () => {
    const connection = await open();
    connection.socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    let sent = 0;
    const sending = async () => {
      while (!connection.ended && sent < 50 * MIB) {
        sent += 0x10000;
        if (!connection.socket.write(chunk))
          await Promise.race([once(connection.socket, 'drain'), once(connection.socket, 'close')]).catch(() => {});
      }
    };
    await within(5_000, 'the end of the sending', sending());
    await eventually(2_000, 'the end of the connection', () => connection.ended);
    expect(connection.received).toContain('HTTP/1.1 413');
    expect(sent).toBeLessThan(20 * MIB);
  });

  it('takes the same body in chunks below the limit', async () => {
    const json = JSON.stringify(TOOLS);
    const chunks = [...json].map((character) => `1\r\n${character}\r\n`).join('');
    const answer = await exchange(`${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 202');
  });
});

describe('a request that is no HTTP', () => {
  it.each([
    ['a length that is no number', 'Content-Length: abc\r\n'],
    ['two framings', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
  ])('(%s) is refused with 400 and the connection closed (FIELD B23)', async (_what, header) => {
    expect(await exchange(`${HEAD}${header}\r\n{}`)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a backend that leaves', () => {
  it.each([
    ['by length', 'Content-Length: 100\r\n\r\n{"meth'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n6\r\n{"meth\r\n'],
  ])('in the middle of its body (%s) is counted as abandoned and is no error (FIELD F17)', async (_how, rest) => {
    const connection = await open();
    connection.socket.write(HEAD + rest);
    // Answered on another connection, so the first part has been read by then.
    await lab.post({ method: 'x' });
    connection.socket.destroy();
    await eventually(2_000, 'the abandoned request to be counted', async () => {
      return (await lab.metric('lg_publish_requests_total{outcome="abandoned"}')) === 1;
    });
  });

  it('keeps its connection after a refusal that left the body unread', async () => {
    const connection = await open();
    const unread = HEAD.replace('application/json', 'text/plain');
    connection.socket.write(`${unread}Content-Length: 5\r\n\r\nhello`);
    await eventually(2_000, 'the refusal', () => connection.received.includes('415'));
    const json = JSON.stringify(TOOLS);
    connection.socket.write(`${HEAD}Content-Length: ${json.length}\r\n\r\n${json}`);
    await eventually(2_000, 'the second answer', () => connection.received.includes('HTTP/1.1 202'));
    connection.socket.destroy();
  });
});

/** A task whose result is nested so deep; the change itself and its params are two levels more. */
function deepTask(levels: number): string {
  const task = `"taskId":"t","status":"completed","createdAt":"x","lastUpdatedAt":"x","ttlMs":null`;
  return `{"method":"notifications/tasks","params":{${task},"result":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}}`;
}
