import { LISTEN_HEADERS, listenBody, parseFrames, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost, unchunked } from '../test/raw-host.ts';
import { openGateway } from '../test/test-gateway.ts';

const CHANGE = { kind: 'tools' } as const;
const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 'D1',
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const discover = rawPost({
  headers: [['Host', 'localhost'], ...Object.entries({ ...LISTEN_HEADERS, 'Mcp-Method': 'server/discover' })],
  body: DISCOVER,
});
const NOTHING = listenBody('L0', {});
const drain = async (gateway: Awaited<ReturnType<typeof openGateway>>) => {
  await within(5_000, 'the drain', gateway.gateway.drain().done);
};

describe('a connection', () => {
  it('over HTTP/1.1 carries the stream in chunks, with no length beside them, and ends it with the last chunk (FIELD B25, P-2.10)', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(rawPost());
    await host.until(/acknowledged/, 'the acknowledgement');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed/, 'the change');
    await drain(gateway);
    await host.until(/\r\n0\r\n\r\n/, 'the last chunk');

    const [head = ''] = host.text.split('\r\n\r\n', 1);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^Transfer-Encoding: chunked$/im);
    expect(head).not.toMatch(/^Content-Length/im);
    const { text, complete, rest } = unchunked(host.text);
    expect({ complete, rest }).toEqual({ complete: true, rest: '' });
    expect(parseFrames(text)).toHaveLength(3);
  });

  it('over HTTP/1.0 carries the frames as they are and ends them by closing (FIELD C10)', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(rawPost({ version: '1.0' }));
    await host.until(/acknowledged/, 'the acknowledgement');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed/, 'the change');
    await drain(gateway);
    await host.over();

    const [head = '', ...body] = host.text.split('\r\n\r\n');
    expect(head).not.toMatch(/^Transfer-Encoding/im);
    expect(head).not.toMatch(/^Content-Length/im);
    expect(parseFrames(body.join('\r\n\r\n')).map(({ data }) => JSON.parse(data ?? '').result?.resultType)).toEqual([
      undefined,
      undefined,
      'complete',
    ]);
  });

  it('serves the next request once its stream has ended with the result', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(rawPost({ body: NOTHING }));
    await host.until(/\r\n0\r\n\r\n/, 'the end of the stream');

    host.text = '';
    host.send(discover);
    expect(await host.until(/^HTTP\/1\.1 (\d+)[\s\S]*"id":"D1"/, 'the answer on the same connection')).toHaveProperty(
      '1',
      '200',
    );
    host.text = '';
    host.send(rawPost());
    await host.until(/acknowledged/, 'a second stream on the same connection');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed/, 'a change on the second stream');
    unchunked(host.text);
  });

  it('answers a request that was pipelined behind a stream after the stream, and not into it', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(rawPost() + discover);
    await host.until(/acknowledged/, 'the acknowledgement');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed/, 'the change');
    expect(host.text).not.toContain('D1');
    await drain(gateway);
    await host.until(/\r\n0\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*"id":"D1"/, 'the answer after the stream');
  });

  it('opens a stream that was pipelined behind another once that has ended, and brings what it owes by then', async () => {
    const gateway = await openGateway();
    const second = rawPost({ body: listenBody('L2', { toolsListChanged: true }) });
    const host = (await RawHost.connect(gateway.url)).send(rawPost({ body: NOTHING }) + second);
    await host.until(/\r\n0\r\n\r\nHTTP[\s\S]*acknowledged/, 'the second acknowledgement');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed[^\n]*\n\n/, 'a change on the second stream');
    await drain(gateway);
    await host.until(/"id":"L2","result"[\s\S]*\r\n0\r\n\r\n/, 'its end');
  });

  it('releases a listen that was pipelined behind a stream when it closes (FIELD C13)', async () => {
    const gateway = await openGateway();
    const second = rawPost({ body: listenBody('L2', { promptsListChanged: true }) });
    const host = (await RawHost.connect(gateway.url)).send(rawPost() + second);
    await host.until(/acknowledged/, 'the acknowledgement');
    await gateway.holds(2);
    host.socket.resetAndDestroy();
    await gateway.holds(0);
  });

  it('is told to go on where it waits for leave to send its body (Expect: 100-continue)', async () => {
    const gateway = await openGateway();
    const post = rawPost({ extra: [['Expect', '100-continue']] });
    const bodyAt = post.indexOf('\r\n\r\n') + 4;
    const host = (await RawHost.connect(gateway.url)).send(post.slice(0, bodyAt));
    await host.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/, 'the leave to go on');
    host.send(post.slice(bodyAt));
    await host.until(/acknowledged/, 'the acknowledgement');
  });

  it('that offers HTTP/2 by an upgrade, as some clients do on each first request, stays as it is and carries the stream', async () => {
    const gateway = await openGateway();
    const offer = [
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
    ] as const;
    const host = (await RawHost.connect(gateway.url)).send(rawPost({ extra: offer }));
    await host.until(/^HTTP\/1\.1 200 OK[\s\S]*acknowledged/, 'the acknowledgement');
    await gateway.publish(CHANGE);
    await host.until(/tools\/list_changed/, 'the change');
  });

  it('that is half-closed by its host ends the stream, while changes flow, and leaves nothing (FIELD C18)', async () => {
    const gateway = await openGateway();
    const other = await gateway.open();
    const host = (await RawHost.connect(gateway.url)).send(rawPost());
    await host.until(/acknowledged/, 'the acknowledgement');

    host.socket.end();
    const publishing = setInterval(() => void gateway.publish(CHANGE), 1);
    try {
      await host.over();
      await gateway.holds(1);
    } finally {
      clearInterval(publishing);
    }
    expect(unchunked(host.text).complete, 'a drop, not a result').toBe(false);
    const before = other.messages.length;
    await gateway.publish(CHANGE);
    await other.received(before + 1);
  });
});
