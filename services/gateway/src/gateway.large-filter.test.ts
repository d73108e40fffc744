import { listenBody, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { liveBytes, MIB } from '../test/heap.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway } from '../test/test-gateway.ts';

const urisOf = (count: number) => Array.from({ length: count }, (_, index) => `file:///${index}`);

describe('a filter with thousands of URIs', () => {
  it.each([
    [5_000, 400],
    [100_000, 400],
  ])('(%d) is refused by the limits that an instance has unless told otherwise (FIELD C26)', async (count, status) => {
    const gateway = await openGateway();
    const answer = await openListen(gateway.url, { filter: { resourceSubscriptions: urisOf(count) } });
    expect(answer.status).toBe(status);
    const { error } = await answer.json();
    if (status === 400) {
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`${count} URIs and task ids; the limit is 1000`),
      });
    }
  });

  it('counts task ids among them, and each name has a length (FIELD C26, C31)', async () => {
    const gateway = await openGateway({ limits: { urisPerFilter: 3, uriLength: 10 } });
    const statusOf = async (filter: object) => (await openListen(gateway.url, { filter })).status;
    expect(await statusOf({ resourceSubscriptions: ['a', 'b'], taskIds: ['c'] })).toBe(200);
    expect(await statusOf({ resourceSubscriptions: ['a', 'b'], taskIds: ['c', 'd'] })).toBe(400);
    expect(await statusOf({ resourceSubscriptions: ['x'.repeat(10)] })).toBe(200);
    expect(await statusOf({ resourceSubscriptions: ['x'.repeat(11)] })).toBe(400);
  });

  it.each([
    [5_000, 2_000],
    [100_000, 10_000],
  ])(
    '(%d) is served where the limits allow it, while 50 other streams are told of changes, and freed (FIELD C26)',
    async (count, limitMs) => {
      const limits = { urisPerFilter: 100_000, bodyBytes: 8 * MIB };
      const gateway = await openGateway({ limits, log: { level: 'silent' } });
      const others = await Promise.all(Array.from({ length: 50 }, () => gateway.open()));
      const bytes = await liveBytes();
      const request = rawPost({ body: listenBody('L1', { resourceSubscriptions: urisOf(count) }) });
      const host = (await RawHost.connect(gateway.url)).send(request);
      const acknowledged = host.until(/acknowledged[\s\S]*\n\n\r\n/, 'the acknowledgement', limitMs);

      let slowestMs = 0;
      let change = 1;
      do {
        change += 1;
        const publishedAt = performance.now();
        await gateway.publish({ kind: 'tools' });
        await Promise.all(others.map((other) => other.received(change)));
        slowestMs = Math.max(slowestMs, performance.now() - publishedAt);
      } while (host.text === '');
      await acknowledged;
      expect(slowestMs, 'the slowest change to reach all others').toBeLessThan(2_000);
      await gateway.publish({ kind: 'resource', uri: `file:///${count - 1}` });
      await host.until(/resources\/updated/, 'a change of the last of its URIs');
      host.socket.resetAndDestroy();
      await gateway.holds(50);
      host.text = '';
      expect((await liveBytes()) - bytes).toBeLessThan(8 * MIB);
    },
    30_000,
  );
});
