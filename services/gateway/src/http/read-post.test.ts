import { listenBody, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../../test/raw-host.ts';
import { openGateway } from '../../test/test-gateway.ts';

const LIMIT = 10_000;
const limits = { bodyBytes: LIMIT };
/** The head of a listen whose body comes in chunks. */
const CHUNKED_HEAD = rawPost({ extra: [['Transfer-Encoding', 'chunked']], body: '' }).replace(
  'Content-Length: 0\r\n',
  '',
);
const CHUNK = `1000\r\n${'x'.repeat(4_096)}\r\n`;

describe('a body', () => {
  it('of just the limit is read, one byte more is refused (FIELD B23)', async () => {
    const gateway = await openGateway({ limits });
    const listen = listenBody('L1', { toolsListChanged: true });
    const bodyOf = (bytes: number) => listen + ' '.repeat(bytes - listen.length);

    await gateway.open({ body: bodyOf(LIMIT) });
    const refused = await openListen(gateway.url, { body: bodyOf(LIMIT + 1) });
    expect(refused.status).toBe(413);
    const body = await refused.json();
    expect(body.error).toEqual({ code: -32600, message: `The body is larger than ${LIMIT} bytes` });
    expect(body, 'nothing of it was read').not.toHaveProperty('id');
  });

  it('that says it is too large is refused before it is sent, and the connection closed (FIELD B23)', async () => {
    const gateway = await openGateway({ limits });
    const head = rawPost({ body: '' }).replace('Content-Length: 0', 'Content-Length: 50000000');
    const host = (await RawHost.connect(gateway.url)).send(head);
    await host.until(/^HTTP\/1\.1 413 /, 'the refusal');
    expect(host.text).toMatch(/^Connection: close\r$/im);
    await host.over();
  });

  it('in chunks is refused as soon as it crosses the limit, and the connection closed (FIELD B23)', async () => {
    const gateway = await openGateway({ limits });
    const host = (await RawHost.connect(gateway.url)).send(CHUNKED_HEAD);
    for (let sent = 0; sent <= LIMIT; sent += 4_096) host.send(CHUNK);
    await host.until(/^HTTP\/1\.1 413 /, 'the refusal, while the body goes on');
    expect(host.text).toMatch(/^Connection: close\r$/im);
    await host.over();
    (await gateway.open()).close();
  });

  it('in chunks is read as any other', async () => {
    const gateway = await openGateway({ limits });
    const listen = listenBody('L1', { toolsListChanged: true });
    const host = (await RawHost.connect(gateway.url)).send(CHUNKED_HEAD);
    for (const character of listen) host.send(`1\r\n${character}\r\n`);
    host.send('0\r\n\r\n');
    await host.until(/acknowledged/, 'the acknowledgement');
  });

  it('that breaks off leaves nothing behind, and is no error of ours (FIELD F17)', async () => {
    const gateway = await openGateway();
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const host = (await RawHost.connect(gateway.url)).send(rawPost().slice(0, -10));
      host.socket[leave]();
      await host.over();
    }
    const host = (await RawHost.connect(gateway.url)).send(CHUNKED_HEAD).send(CHUNK);
    host.socket.resetAndDestroy();
    (await gateway.open()).close();
    expect(gateway.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });
});
