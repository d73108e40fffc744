import { eventually, ManualClock, openListen, parseFrames, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { fillUp, openGateway } from '../test/test-gateway.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

describe('a drain', () => {
  it('ends each stream with what it owes, the result and nothing after it (P-1.8, P-1.9, SUB-10, SUB-11, FIELD C21)', async () => {
    const gateway = await openGateway({ servers: { default: { name: 'acme', title: 'Acme', version: '4.5.6' } } });
    const stream = await gateway.open({ id: 'L1' });
    await gateway.publish({ kind: 'tools' });
    const drain = gateway.gateway.drain();

    expect(await within(5_000, 'the end', stream.ended)).toBe('complete');
    expect(stream.messages.slice(1).map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      undefined,
    ]);
    expect(stream.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 'L1',
      result: {
        resultType: 'complete',
        _meta: { [SUBSCRIPTION_ID]: 'L1', [SERVER_INFO]: { name: 'acme', title: 'Acme', version: '4.5.6' } },
      },
    });
    expect(parseFrames(stream.text), 'complete with the last blank line').toHaveLength(3);
    await within(5_000, 'the drain', drain.done);
    expect(gateway.closeReasons).toEqual(['drain']);
  });

  it('refuses new listens from its first moment, before a byte is streamed (INS-05, P-5)', async () => {
    const gateway = await openGateway({ drain: { delayMs: 60_000 } });
    const open = await gateway.open();
    expect(gateway.gateway.readiness()).toEqual({ ready: true, reasons: [] });
    const drain = gateway.gateway.drain();

    expect(gateway.gateway.readiness()).toEqual({ ready: false, reasons: ['draining'] });
    const refused = await openListen(gateway.url);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ id: 'L1', error: { data: { reason: 'draining' } } });
    await gateway.publish({ kind: 'tools' });
    expect((await open.next()).method, 'open streams go on through the delay').toBe('notifications/tools/list_changed');

    drain.hasten();
    await within(5_000, 'the drain', drain.done);
    expect(await open.ended).toBe('complete');
  });

  it('answers a listen that still waits for the broker with a refusal (INS-05)', async () => {
    const gateway = await openGateway();
    gateway.broker.hold();
    const asked = openListen(gateway.url);
    await eventually(5_000, 'the attach', () => gateway.broker.pending.length === 1);
    const drain = gateway.gateway.drain();
    await eventually(5_000, 'the stream to be ended', async () => (await gateway.metric('lg_streams_open')) === 0);
    gateway.broker.confirm();

    expect((await asked).status).toBe(503);
    await within(5_000, 'the drain', drain.done);
  });

  it('cuts a host that does not take its end by the deadline (FIELD F1)', async () => {
    const gateway = await openGateway({ drain: { windowMs: 0, graceMs: 300 } });
    const uris = Array.from({ length: 100 }, (_, index) => `${'x'.repeat(8_000)}${index}`);
    const stalled = await gateway.open({ filter: { resourceSubscriptions: uris } });
    const reading = await gateway.open();
    stalled.pause();
    await fillUp(gateway, uris);

    await within(5_000, 'the drain', gateway.gateway.drain().done);
    expect(await reading.ended).toBe('complete');
    expect(gateway.closeReasons).toEqual(['drain', 'drain-deadline']);
    stalled.resume();
    expect(await within(5_000, 'the end of the stalled host', stalled.ended)).toBe('cut');
  });

  it('is over at once where there are no streams', async () => {
    const gateway = await openGateway({ drain: { windowMs: 60_000, graceMs: 60_000 } });
    await within(1_000, 'the drain', gateway.gateway.drain().done);
  });
});

describe('the end of an instance', () => {
  it('closes what is left, and may come twice', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open();
    const idle = (await RawHost.connect(gateway.url)).send(rawPost().slice(0, 40));
    await Promise.all([gateway.gateway.close(), gateway.gateway.close()]);
    expect(await within(5_000, 'the end of the stream', stream.ended)).toBe('cut');
    await idle.over();
    await gateway.holds(0);
    await expect(openListen(gateway.url)).rejects.toThrow();
  });

  it.each([true, false])('leaves no timer behind (after a drain: %s)', async (drained) => {
    const clock = new ManualClock(1_000);
    const gateway = await openGateway({ drain: { windowMs: 0 } }, { clock });
    expect(clock.pending, 'the keepalive wheel at least').toBeGreaterThan(0);
    const stream = await gateway.open();
    if (drained) {
      const drain = gateway.gateway.drain();
      clock.advance(0);
      await within(5_000, 'the drain', drain.done);
    }
    await gateway.gateway.close();
    await stream.ended;
    // What waits for the next turn of the event loop at most is none.
    clock.runSoon();
    expect(clock.pending).toBe(0);
  });
});
