import { eventually, type ListenAnswer, listenBody, parseFrames, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { MIB } from '../test/heap.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { fillUp, openGateway, type TestGateway } from '../test/test-gateway.ts';

/** As long as one may be by default, so that a few of them fill every buffer on the way. */
const URIS = Array.from({ length: 100 }, (_, index) => `file:///${index}`.padEnd(8_192, 'x'));
/** Owed after all of them, so that its arrival shows that nothing more is under way. */
const BARRIER = 'test://barrier';
const filter = { resourceSubscriptions: [...URIS, BARRIER] };
const changesOf = (uris: readonly string[]) => uris.map((uri) => ({ kind: 'resource', uri }) as const);
/** Numbers say as much as 8 KiB of URI, and are printed where a test fails. */
const numberOf = (uri: unknown) => (uri === BARRIER ? 'barrier' : URIS.indexOf(String(uri)));

/** Opens a stream whose host then reads nothing, and fills it up. */
async function openStalled(gateway: TestGateway): Promise<ListenAnswer> {
  const stalled = await gateway.open({ filter });
  stalled.pause();
  await fillUp(gateway, URIS);
  return stalled;
}

describe('a host that reads nothing', () => {
  it('is dropped as slow-host after the stall limit, by a cut; the others go on (FIELD C35)', async () => {
    const gateway = await openGateway({ stream: { stallMs: 400 } });
    const other = await gateway.open();
    const stalled = await openStalled(gateway);

    await gateway.holds(1);
    expect(gateway.closeReasons).toEqual(['slow-host']);
    expect(await gateway.metric('lg_streams_closed_total{reason="slow-host"}')).toBe(1);
    stalled.resume();
    expect(await within(5_000, 'the end of its stream', stalled.ended)).toBe('cut');
    await gateway.publish({ kind: 'tools' });
    expect((await other.next()).method).toBe('notifications/tools/list_changed');
  });

  it('and leaves is released at once, whatever it did not read (P-1.7, SUB-09)', async () => {
    const gateway = await openGateway();
    const stalled = await openStalled(gateway);
    stalled.reset();
    await gateway.holds(0);
    expect(gateway.closeReasons).toEqual(['host-gone']);
  });

  it('and reads again in time is told of each URI that changed meanwhile, once (FIELD C32, C35)', async () => {
    const gateway = await openGateway();
    const stream = await openStalled(gateway);
    for (let round = 0; round < 50; round += 1) await gateway.publish(changesOf(URIS));
    await gateway.publish(changesOf([BARRIER]));
    stream.resume();
    const told = () => stream.messages.slice(1).map(({ params }) => numberOf(params?.uri));
    await eventually(10_000, 'the barrier', () => told().at(-1) === 'barrier');

    // What filled the buffers before it blocked is told as well; what it owed after that comes in one piece, at the end.
    const owed = told().slice(-URIS.length - 1, -1);
    expect(owed.toSorted((a, b) => Number(a) - Number(b))).toEqual(URIS.map((_, number) => number));
    expect(told().length).toBeLessThan(50 * URIS.length);
    await gateway.publish(changesOf([URIS[7] as string]));
    await eventually(5_000, 'a change after that', () => told().at(-1) === 7);
  });

  it('over HTTP/1.0 is told the same when it reads again', async () => {
    const gateway = await openGateway();
    const host = await RawHost.connect(gateway.url);
    host.send(rawPost({ version: '1.0', body: listenBody('L1', filter) }));
    await host.until(/acknowledged/, 'the acknowledgement');
    host.socket.pause();
    await fillUp(gateway, URIS);
    host.socket.resume();
    await gateway.publish(changesOf([BARRIER]));
    await host.until(new RegExp(`updated[^\\n]*${BARRIER}`), 'the barrier', 10_000);
    expect(parseFrames(host.text.slice(host.text.indexOf('\r\n\r\n') + 4)).length).toBeGreaterThan(URIS.length);
  });
});

describe('twenty hosts that read nothing', () => {
  it('cost no more memory for 3000 changes than their filters say (FIELD C35)', async () => {
    const gateway = await openGateway({ log: { level: 'silent' } });
    const hosts = await Promise.all(Array.from({ length: 20 }, (_, id) => gateway.open({ id, filter })));
    for (const host of hosts) host.pause();
    await fillUp(gateway, URIS);
    const before = process.memoryUsage().rss;

    for (let published = 0; published < 3_000; published += URIS.length) {
      await gateway.publish(changesOf(URIS));
      await new Promise(setImmediate);
    }
    const grown = process.memoryUsage().rss - before;
    expect(grown, '3000 changes for each host would be 480 MB').toBeLessThan(150 * MIB);
    expect(await gateway.metric('lg_streams_open')).toBe(20);
    for (const host of hosts) host.reset();
    await gateway.holds(0);
  });
});
