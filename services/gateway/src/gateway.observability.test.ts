import { ManualClock, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../test/test-gateway.ts';

describe('the gauge of open streams', () => {
  it('counts neither what was refused nor what has left, and nothing twice (FIELD F13)', async () => {
    const gateway = await openGateway({ limits: { streamsPerInstance: 110 } });
    for (let refused = 0; refused < 50; refused += 1) {
      await (await openListen(gateway.url, { headers: { Accept: 'text/html' } })).ended;
      await (await openListen(gateway.url, { filter: {} })).ended;
    }
    const leaving = await Promise.all(Array.from({ length: 100 }, () => gateway.open()));
    const staying = await Promise.all(Array.from({ length: 10 }, () => gateway.open()));
    for (let refused = 0; refused < 50; refused += 1) expect((await openListen(gateway.url)).status).toBe(503);
    expect(await gateway.metric('lg_streams_open')).toBe(110);

    for (const stream of leaving) {
      stream.reset();
      stream.close();
    }
    await gateway.holds(10);
    for (const stream of staying) stream.close();
    await gateway.holds(0);
    expect(await gateway.metric('lg_streams_opened_total')).toBe(160);
    expect(await gateway.metric('lg_streams_closed_total{reason="host-gone"}')).toBe(110);
    expect(await gateway.metric('lg_streams_closed_total{reason="nothing-honored"}')).toBe(50);
    expect(await gateway.metric('lg_listens_refused_total{reason="instance-full"}')).toBe(50);
  });

  it('is of the moment: ten hosts that come back ten times, side by side, are ten streams (FIELD F14)', async () => {
    const gateway = await openGateway();
    for (let time = 0; time < 10; time += 1) {
      const streams = await Promise.all(Array.from({ length: 10 }, () => gateway.open()));
      await gateway.holds(10);
      await gateway.publish({ kind: 'tools' });
      for (const stream of streams) {
        expect((await stream.next()).method).toBe('notifications/tools/list_changed');
        stream.close();
      }
      await gateway.holds(0);
    }
  });
});

describe('the latency of a listen', () => {
  it('is the time to its acknowledgement, not the length of its stream (FIELD F11)', async () => {
    const clock = new ManualClock(1_000);
    const gateway = await openGateway({}, { clock });
    const stream = await gateway.open();
    clock.advance(60_000);
    stream.close();
    await gateway.holds(0);

    expect(await gateway.metric('lg_acknowledgement_seconds_count')).toBe(1);
    expect(await gateway.metric('lg_acknowledgement_seconds_sum')).toBe(0);
    expect(await gateway.metric('lg_stream_age_seconds_sum')).toBe(60);
  });
});

describe('the log', () => {
  const MARKER = 'marker-7f3a';

  it('has two lines for a stream, with stable fields and no secret of the host, and no error for 1000 that come and go (FIELD F17)', async () => {
    const gateway = await openGateway({ log: { level: 'info' } });
    const options = {
      id: MARKER,
      filter: { toolsListChanged: true, resourceSubscriptions: [`file:///${MARKER}`], taskIds: [MARKER] },
      headers: { Authorization: `Bearer ${MARKER}`, Cookie: MARKER, 'Mcp-Session-Id': MARKER },
    };
    for (let opened = 0; opened < 1_000; opened += 50) {
      const streams = await Promise.all(
        Array.from({ length: 50 }, () => gateway.open(options, `${gateway.url}?token=${MARKER}`)),
      );
      for (const [index, stream] of streams.entries()) index % 2 === 0 ? stream.close() : stream.reset();
    }
    await gateway.holds(0);
    for (const bad of [
      { body: `{"${MARKER}` },
      { headers: { 'Mcp-Method': MARKER } },
      { headers: { Origin: `http://${MARKER}` } },
    ]) {
      expect((await openListen(gateway.url, bad)).status).toBeGreaterThanOrEqual(400);
    }

    expect(gateway.log).toHaveLength(2_000);
    expect(new Set(gateway.log.map(({ level }) => level))).toEqual(new Set(['info']));
    expect(JSON.stringify(gateway.log)).not.toContain(MARKER);
    expect(gateway.log[0]).toMatchObject({
      msg: 'stream opened',
      streamId: 0,
      serverId: 'default',
      lists: ['toolsListChanged'],
      uris: 1,
      tasks: 1,
    });
    expect(gateway.log.at(-1)).toMatchObject({
      msg: 'stream closed',
      serverId: 'default',
      reason: 'host-gone',
      livedMs: expect.any(Number),
    });
  });
});
