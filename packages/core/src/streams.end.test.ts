import type { ServerId } from '@listen-gateway/protocol';
import { type RecordingSink, TEST_SERVER, TestInstance, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';

const filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a', 'file:///b'] };
const tools = { kind: 'tools' } as const;

const methodsOf = (sink: RecordingSink): readonly unknown[] =>
  sink.messages.map(({ method, params, result }) => (result ? 'result' : (params?.uri ?? method)));

/** A stream whose host has stopped reading, and owes a change. */
async function stalled(instance: TestInstance): Promise<RecordingSink> {
  const sink = await instance.open({ filter });
  sink.block();
  await instance.publish(tools);
  await instance.publish(tools);
  return sink;
}

describe('a stream with nothing honored', () => {
  it.each([{}, { resourceSubscriptions: [] }, { toolsListChanged: false }])(
    'is acknowledged and completed at once, and attaches nothing: %j (P-1.13, FIELD C22)',
    async (filter) => {
      const instance = new TestInstance();
      instance.broker.ready = false;
      const sink = await instance.open({ id: 0, filter });
      expect(sink.messages.map(({ params, result }) => params?.notifications ?? result?.resultType)).toEqual([
        {},
        'complete',
      ]);
      expect(sink.closing).toBe('end');
      expect(instance.observer.reasons).toEqual(['nothing-honored']);
      expect(instance.broker.attaches).toBe(0);
      expect(instance.streams.open.size).toBe(0);
    },
  );
});

describe('a stream whose host reads slowly', () => {
  it('is dropped once it took nothing for the stall limit, and counted (FIELD C35)', async () => {
    const instance = new TestInstance({ stallMs: 30_000 });
    const sink = await stalled(instance);
    const other = await instance.open({ filter });
    instance.clock.advance(29_900);
    expect(instance.observer.reasons).toEqual([]);
    instance.clock.advance(200);
    expect(instance.observer.reasons).toEqual(['slow-host']);
    expect(sink.closing).toBe('cut');
    expect(methodsOf(sink)).not.toContain('result');
    expect(other.closing).toBe('no');
  });

  it('goes on where it reads in time, with what it owes in one write', async () => {
    const instance = new TestInstance({ stallMs: 30_000 });
    const sink = await stalled(instance);
    await instance.publish([tools, { kind: 'resource', uri: 'file:///b' }, { kind: 'resource', uri: 'file:///b' }]);
    instance.clock.advance(29_000);
    expect(sink.chunks).toHaveLength(2);
    sink.drain();
    instance.clock.advance(29_000);
    expect(instance.observer.reasons).toEqual([]);
    expect(sink.chunks[2]?.text.match(/^data:/gm)).toHaveLength(2);
    expect(methodsOf(sink).slice(-2)).toEqual(['notifications/tools/list_changed', 'file:///b']);
    sink.leave();
    instance.clock.advance(60_000);
    expect(instance.observer.reasons).toEqual(['host-gone']);
  });

  it('is dropped also when it does not take the end of its stream', async () => {
    const instance = new TestInstance({ stallMs: 30_000 });
    const sink = await stalled(instance);
    for (const stream of instance.streams.open) stream.end('drain');
    expect(instance.streams.open.size).toBe(1);
    instance.clock.advance(30_100);
    expect(sink.closing).toBe('cut');
    expect(instance.observer.reasons).toEqual(['slow-host']);
  });
});

describe('a quiet stream', () => {
  it('gets a comment at least once in each keepalive time, from its opening on (INS-02, FIELD C6, C11)', async () => {
    const instance = new TestInstance({ keepaliveMs: 15_000 });
    const sinks: RecordingSink[] = [];
    for (let n = 0; n < 50; n += 1) {
      sinks.push(await instance.open());
      instance.clock.advance(130);
    }
    for (let turn = 1; turn <= 3; turn += 1) {
      instance.clock.advance(15_000);
      for (const sink of sinks) expect(sink.keepalives).toBeGreaterThanOrEqual(turn);
    }
    expect(Math.max(...sinks.map(({ keepalives }) => keepalives))).toBeLessThanOrEqual(4);
    expect(sinks.every(({ messages }) => messages.length === 1)).toBe(true);
  });

  it('gets none before the acknowledgement, or after its host went away (P-1.3)', async () => {
    const instance = new TestInstance({ keepaliveMs: 1_000 });
    instance.broker.hold();
    const { sink, outcome } = instance.ask();
    instance.clock.advance(5_000);
    expect(sink?.chunks).toEqual([]);
    instance.broker.confirm();
    await within(1_000, 'the acknowledgement', outcome);
    sink?.leave();
    instance.clock.advance(5_000);
    expect(sink?.chunks).toHaveLength(1);
  });
});

describe('a gap', () => {
  it('tells each stream of the server once of everything it was granted', async () => {
    const instance = new TestInstance();
    const sinks = [await instance.open({ filter }), await instance.open({ filter: { promptsListChanged: true } })];
    const elsewhere = await instance.open({ filter, serverId: 'other' as ServerId });
    instance.broker.gap(TEST_SERVER);
    instance.clock.advance(0);
    expect(sinks.map((sink) => methodsOf(sink).slice(1))).toEqual([
      ['notifications/tools/list_changed', 'file:///a', 'file:///b'],
      ['notifications/prompts/list_changed'],
    ]);
    expect(sinks.every(({ chunks }) => chunks.length === 2)).toBe(true);
    expect(elsewhere.messages).toHaveLength(1);
    expect(instance.observer.gaps).toEqual([{ serverId: TEST_SERVER, streams: 2 }]);
  });

  it('drops a stream that watches tasks, without a result, so that its host reads them again (P-4.3, P-1.8)', async () => {
    const instance = new TestInstance();
    const sink = await instance.open({ filter: { ...filter, taskIds: ['t'] } });
    instance.broker.gap(TEST_SERVER);
    expect(sink.closing).toBe('cut');
    expect(methodsOf(sink)).toHaveLength(1);
    expect(instance.observer.reasons).toEqual(['gap']);
  });

  it('while a stream opens is told after its acknowledgement, and drops nobody', async () => {
    const instance = new TestInstance();
    instance.broker.hold();
    const { sink, outcome } = instance.ask({ filter: { ...filter, taskIds: ['t'] } });
    instance.broker.gap(TEST_SERVER);
    instance.clock.advance(0);
    instance.broker.confirm();
    await within(1_000, 'the acknowledgement', outcome);
    expect(methodsOf(sink as RecordingSink)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
      'file:///a',
      'file:///b',
    ]);
  });

  it('reaches a host that reads slowly once it reads again', async () => {
    const instance = new TestInstance();
    const sink = await stalled(instance);
    instance.broker.gap(TEST_SERVER);
    sink.drain();
    instance.clock.advance(0);
    expect(methodsOf(sink).slice(2)).toEqual(['notifications/tools/list_changed', 'file:///a', 'file:///b']);
  });
});

describe('an instance', () => {
  it('has nothing left of streams that are over, whatever ended them, but its wheel (FIELD C13, C38, F13)', async () => {
    const instance = new TestInstance({ stallMs: 1_000 });
    const left = await instance.open({ subject: 'ann', filter });
    await stalled(instance);
    await instance.open({ subject: 'ann', filter: { taskIds: ['t'] } });
    await instance.open({ filter: {} });
    left.leave();
    instance.broker.gap(TEST_SERVER);
    instance.clock.advance(2_000);
    expect(instance.observer.reasons.toSorted()).toEqual(['gap', 'host-gone', 'nothing-honored', 'slow-host']);
    expect(instance.observer.gauge).toBe(0);
    expect(instance.streams.open.size).toBe(0);
    expect(instance.broker.attached(TEST_SERVER)).toBe(0);
    expect(instance.clock.pending).toBe(1);
    await within(1_000, 'the drain of no stream', instance.streams.startDraining());
    expect(instance.clock.pending).toBe(0);
  });

  it('lets go of a stream wherever it kept it: wheel, stall watch and tag (FIELD C13, C38)', async () => {
    const instance = new TestInstance({ stallMs: 1_000, keepaliveMs: 1_000 });
    const sinks = [await stalled(instance), await instance.open({ filter: {} }), await instance.open({ filter })];
    const streams = instance.observer.openings.map(({ stream }) => stream);
    const calls: string[] = [];
    for (const sink of sinks) sink.leave();
    for (const stream of streams) {
      stream.keepalive = () => calls.push('keepalive');
      stream.cut = () => calls.push('cut');
    }
    instance.clock.advance(5_000);
    expect(calls).toEqual([]);
    expect(streams.map(({ tag }) => tag.streams)).toEqual([0, 0, 0]);
  });

  it('says how long a host waited for its acknowledgement and how long its stream lived (FIELD F11)', async () => {
    const instance = new TestInstance();
    instance.broker.hold();
    const { sink, outcome } = instance.ask();
    instance.clock.advance(300);
    instance.broker.confirm();
    await within(1_000, 'the acknowledgement', outcome);
    instance.clock.advance(5_000);
    sink?.leave();
    expect(instance.observer.openings).toMatchObject([{ waitedMs: 300 }]);
    expect(instance.observer.closings).toMatchObject([{ reason: 'host-gone', livedMs: 5_000 }]);
  });
});
