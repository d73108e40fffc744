import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip, gunzipSync, constants as zlib } from 'node:zlib';
import { eventually, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { liveBytes, MIB } from '../test/heap.ts';
import { CALL, openProxy, send } from '../test/proxied-host.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { RawUpstream } from '../test/raw-upstream.ts';
import { StubUpstream } from '../test/stub-upstream.ts';

const EVENTS = { 'Content-Type': 'text/event-stream' };
const frame = (number: number) => `event: message\ndata: {"progress":${number},"text":"größer \u2028"}\n\n`;

/** An upstream whose answer the test writes itself, from the head on. */
async function openStreaming(headers: Readonly<Record<string, string>> = EVENTS) {
  const upstream = await StubUpstream.open(({ response }) => {
    response.writeHead(200, headers).flushHeaders();
  });
  const gateway = await openProxy(upstream.url);
  const host = send(gateway.url, CALL);
  const { response } = await upstream.request();
  return { gateway, upstream, host, response };
}

describe('a forwarded event stream', () => {
  it('begins at the host before its first event is written', async () => {
    const { host, response } = await openStreaming();
    const answer = await host.answer();
    expect([answer.status, answer.values('content-type')]).toEqual([200, ['text/event-stream']]);
    response.end();
    expect(await answer.end()).toBe('complete');
  });

  it('brings each frame before the next one is written: nothing waits for more', async () => {
    const { host, response } = await openStreaming();
    const answer = await host.answer();
    let written = '';
    for (let number = 1; number <= 50; number += 1) {
      response.write(frame(number));
      written += frame(number);
      await answer.shows(frame(number));
    }
    expect(answer.text).toBe(written);
    response.end();
    expect(await answer.end()).toBe('complete');
  });

  it('brings comments, ids, retries and half frames byte for byte, as they come', async () => {
    const { host, response } = await openStreaming();
    const answer = await host.answer();
    const parts = [': keepalive\n\n', 'id: 7\r\nretry: 100\r', '\ndata: é', '\u2028\r\n', '\r\n', 'data:no end'];
    for (const part of parts) {
      response.write(part);
      await answer.shows(part);
    }
    expect(answer.text).toBe(parts.join(''));
    response.end();
    expect(await answer.end()).toBe('complete');
  });

  it('compressed by the upstream stays so, and each flushed frame comes through (FIELD F9)', async () => {
    const { host, response } = await openStreaming({ ...EVENTS, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    const answer = await host.answer();
    expect(answer.values('content-encoding')).toEqual(['gzip']);
    expect(answer.values('content-length')).toEqual([]);
    const gzip = createGzip();
    const sent = createHash('sha256');
    gzip.on('data', (part: Buffer) => {
      sent.update(part);
      response.write(part);
    });
    let text = '';
    for (let number = 1; number <= 5; number += 1) {
      text += frame(number);
      gzip.write(frame(number));
      gzip.flush(zlib.Z_SYNC_FLUSH);
      const { length } = text;
      await eventually(5_000, `frame ${number}`, () => {
        const decoded = gunzipSync(answer.bytes, { finishFlush: zlib.Z_SYNC_FLUSH }).toString();
        return decoded.length === length;
      });
    }
    gzip.end();
    await once(gzip, 'end');
    response.end();
    expect(await answer.end()).toBe('complete');
    expect(gunzipSync(answer.bytes).toString()).toBe(text);
    expect(createHash('sha256').update(answer.bytes).digest('hex')).toBe(sent.digest('hex'));
  });

  it('goes to a host of HTTP/1.0 without chunks, and ends by closing', async () => {
    const upstream = await StubUpstream.open(({ response }) => response.writeHead(200, EVENTS).end(frame(1)));
    const gateway = await openProxy(upstream.url);
    const headers = Object.entries({ ...CALL.headers, Host: 'localhost' }) as [string, string][];
    const host = (await RawHost.connect(gateway.url)).send(
      rawPost({ version: '1.0', headers, body: String(CALL.body) }),
    );
    await host.over();
    const [head = '', body] = Buffer.from(host.text, 'latin1').toString().split('\r\n\r\n');
    expect(head).not.toMatch(/^transfer-encoding/im);
    expect(body).toBe(frame(1));
  });

  it('may be silent for longer than the head may take, and for ever', async () => {
    const upstream = await StubUpstream.open(({ response }) => {
      response.writeHead(200, EVENTS).flushHeaders();
    });
    const gateway = await openProxy(upstream.url, { headTimeoutMs: 100 });
    const answer = await send(gateway.url, CALL).answer();
    const { response } = await upstream.request();
    response.write(frame(1));
    await answer.shows(frame(1));
    // undici looks at its timers twice a second: this is well past the moment at which it would have cut the stream.
    await delay(2_000);
    response.end(frame(2));
    expect(await answer.end()).toBe('complete');
    expect(answer.text).toBe(frame(1) + frame(2));
  });
});

describe('a host that does not read', () => {
  const CHUNK = Buffer.alloc(65_536, 'x');

  /** Writes until nobody takes any more; answers how much was taken before. */
  async function fill(response: ServerResponse): Promise<number> {
    let bytes = 0;
    for (;;) {
      bytes += CHUNK.length;
      if (response.write(CHUNK)) continue;
      const drained = once(response, 'drain').then(() => true);
      if (!(await Promise.race([drained, delay(500, false)]))) return bytes;
      if (bytes > 200 * MIB) throw new Error('the upstream was never paused');
    }
  }

  it('makes the upstream pause, with a bounded share of it in memory, and gets all of it once it reads', async () => {
    const { host, response } = await openStreaming();
    const answer = await host.answer();
    answer.pause();
    const before = await liveBytes();
    const taken = await fill(response);
    // What was taken stands in buffers of kernels; what is not yet taken, and ours, is little.
    expect((await liveBytes()) - before).toBeLessThan(4 * MIB);
    answer.resume();
    response.end('the end');
    expect(await answer.end()).toBe('complete');
    expect(answer.bytes.length).toBe(taken + 'the end'.length);
  });

  it('and leaves lets go of the upstream that it made pause (FIELD F8)', async () => {
    const { host, response, upstream } = await openStreaming();
    const answer = await host.answer();
    answer.pause();
    await fill(response);
    await host.reset();
    const { over } = await upstream.request();
    await within(1_000, 'the upstream to be told', over);
  });

  it('gets all of an answer that ended long before it read', async () => {
    const body = Buffer.alloc(20 * MIB, 'y');
    const upstream = await RawUpstream.open(({ socket }) => {
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n${body}`));
    });
    const gateway = await openProxy(upstream.url);
    const answer = await send(gateway.url, CALL).answer();
    answer.pause();
    await delay(300);
    answer.resume();
    expect(await within(10_000, 'the end of the answer', answer.ended)).toBe('complete');
    expect(answer.bytes.equals(body)).toBe(true);
  });
});
