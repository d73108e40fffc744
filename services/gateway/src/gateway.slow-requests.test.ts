import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

const HEAD = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** Sends text bit by bit until the instance has had enough. */
async function drip(gateway: TestGateway, start: string, more: string): Promise<string> {
  const host = (await RawHost.connect(gateway.url)).send(start);
  const timer = setInterval(() => host.socket.writable && host.send(more), 50);
  try {
    await host.over();
  } finally {
    clearInterval(timer);
  }
  return host.text;
}

describe('a request', () => {
  it.each([
    ['whose head drips', HEAD, 'X-A: b\r\n'],
    ['whose body drips', `${HEAD}Content-Length: 100000\r\n\r\n`, ' '],
    ['whose body drips in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['that never begins', '', ''],
  ])('%s is given the time of the configuration', async (_what, start, more) => {
    const gateway = await openGateway({ listen: { port: 0, requestTimeoutMs: 400 } });
    expect(await drip(gateway, start, more)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect(await gateway.metric('lg_requests_refused_total{status="408"}')).toBe(1);
    expect(await gateway.metric('lg_requests_refused_total{status="400"}'), 'nobody was there to be told').toBe(0);
    await gateway.holds(0);
    expect(gateway.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('whose head has more bytes than the configuration says is refused with 431', async () => {
    const gateway = await openGateway({ listen: { port: 0, headerBytes: 2_048 } });
    expect(await drip(gateway, rawPost({ extra: [['X-A', 'a'.repeat(3_000)]] }), '')).toMatch(/^HTTP\/1\.1 431 /);
    expect(await gateway.metric('lg_requests_refused_total{status="431"}')).toBe(1);
  });

  it('whose body has more bytes than the configuration says is refused with 413, in one piece or in chunks (FIELD B23)', async () => {
    const gateway = await openGateway({ limits: { bodyBytes: 1_000 } });
    const body = `{"a":"${'a'.repeat(1_000)}"}`;
    expect(await drip(gateway, rawPost({ body }), '')).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
    expect(await drip(gateway, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk}`, '')).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is not cut short by that time once it is a stream', async () => {
    const gateway = await openGateway({
      listen: { port: 0, requestTimeoutMs: 200, keepAliveTimeoutMs: 200 },
      stream: { keepaliveMs: 100 },
    });
    const stream = await gateway.open();
    const comments = stream.comments;
    await expect.poll(() => stream.comments, { timeout: 10_000 }).toBeGreaterThan(comments + 12);
    stream.close();
  });
});

describe('an idle connection', () => {
  it('is kept for the time of the configuration', async () => {
    const gateway = await openGateway({ listen: { port: 0, keepAliveTimeoutMs: 200 } });
    expect(await drip(gateway, 'GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n', '')).toMatch(/^HTTP\/1\.1 405 /);
  });
});
