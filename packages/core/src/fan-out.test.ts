import type { Filter } from '@listen-gateway/protocol';
import { ManualClock, type RecordingSink, recordingSinks } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { sampleStream } from '../test/sample-stream.ts';
import type { Clock } from './clock.ts';
import { FanOut } from './fan-out.ts';
import type { Stream } from './stream.ts';
import { SubscriptionTags } from './subscription-tag.ts';

interface Host {
  readonly stream: Stream;
  readonly sink: RecordingSink;
}

/** Live streams that share an id, the acknowledgement their only write so far; and the pass that writes to them. */
function fanOutTo(streams: number, honored: Filter = { toolsListChanged: true }) {
  const clock = new ManualClock(1_000);
  const passes: { streams: number; tookMs: number }[] = [];
  const fanOut = new FanOut(clock, (streams, tookMs) => passes.push({ streams, tookMs }));
  const { open, sinks } = recordingSinks();
  const tags = new SubscriptionTags();
  const hosts: Host[] = Array.from({ length: streams }, (_, index) => {
    const stream = sampleStream({ tags, honored, openSink: open });
    stream.acknowledge();
    return { stream, sink: sinks[index] as RecordingSink };
  });
  const oweTools = ({ stream }: Host): void => {
    stream.outbox.oweList('tools');
    fanOut.enqueue(stream);
  };
  const written = () => hosts.map(({ sink }) => sink.chunks.length - 1);
  const writes = () => written().reduce((sum, count) => sum + count, 0);
  return { clock, fanOut, hosts, oweTools, passes, written, writes };
}

describe('a pass', () => {
  it('walks the marked streams in slices of 128, and the event loop has its turn in between', () => {
    const { clock, hosts, oweTools, writes, passes } = fanOutTo(300);
    const seen: number[] = [];
    const look = (): void => {
      seen.push(writes());
      if (writes() < 300) clock.soon(look);
    };
    hosts.forEach(oweTools);
    expect(writes()).toBe(0);
    clock.soon(look);
    for (const expected of [128, 256, 300]) {
      expect(passes).toEqual([]);
      clock.runSoon();
      expect(writes()).toBe(expected);
    }
    expect(seen).toEqual([128, 256, 300]);
    expect(passes).toEqual([{ streams: 300, tookMs: 0 }]);
    expect(clock.pending).toBe(0);
  });

  it('writes once to a stream for a burst of changes, however many (FIELD C32)', () => {
    const { clock, hosts, oweTools, written, passes } = fanOutTo(3);
    for (let change = 0; change < 1_000; change += 1) hosts.forEach(oweTools);
    clock.advance(0);
    expect(written()).toEqual([1, 1, 1]);
    expect(hosts.map(({ sink }) => sink.messages.length)).toEqual([2, 2, 2]);
    expect(passes).toEqual([{ streams: 3, tookMs: 0 }]);
  });

  it('never merges different URIs, and still writes once (FIELD C32)', () => {
    const uris = Array.from({ length: 1_000 }, (_, n) => `file:///${n}`);
    const { clock, hosts, fanOut, written } = fanOutTo(2, { resourceSubscriptions: uris });
    for (const uri of uris) {
      for (const { stream } of hosts) {
        stream.outbox.oweUri(uri);
        fanOut.enqueue(stream);
      }
    }
    clock.advance(0);
    expect(written()).toEqual([1, 1]);
    for (const { sink } of hosts) expect(sink.messages.slice(1).map(({ params }) => params?.uri)).toEqual(uris);
  });

  it('does not lose a mark that comes while it runs, and writes once to a stream it has not reached', () => {
    const { clock, hosts, oweTools, written } = fanOutTo(200);
    hosts.forEach(oweTools);
    clock.runSoon();
    const [walked, ahead] = [hosts[0] as Host, hosts[199] as Host];
    for (const host of [walked, ahead]) oweTools(host);
    clock.advance(0);
    expect(written()[0]).toBe(2);
    expect(written()[199]).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('does not lose a mark that comes with a write', () => {
    const clock = new ManualClock();
    const fanOut = new FanOut(clock, () => {});
    let writes = 0;
    const stream: Stream = sampleStream({
      openSink: () => ({
        write: () => {
          writes += 1;
          if (writes === 2) mark();
          return 'accepted';
        },
        end: () => {},
        cut: () => {},
      }),
    });
    const mark = (): void => {
      stream.outbox.oweList('tools');
      fanOut.enqueue(stream);
    };
    stream.acknowledge();
    mark();
    clock.advance(0);
    expect(writes).toBe(3);
  });

  it('ends although marks never stop, so that its list and its chunks are bounded', () => {
    const { clock, hosts, oweTools, passes } = fanOutTo(200);
    for (let turn = 0; turn < 20; turn += 1) {
      hosts.forEach(oweTools);
      clock.runSoon();
    }
    expect(passes.length).toBeGreaterThanOrEqual(9);
    expect(Math.max(...passes.map(({ streams }) => streams))).toBe(200);
  });

  it('shares one chunk among all streams of an id, over its slices and no longer', () => {
    const { clock, hosts, fanOut } = fanOutTo(300, { resourceSubscriptions: ['file:///a'] });
    const chunks = () => new Set(hosts.map(({ sink }) => sink.chunks.at(-1)));
    const change = (): void => {
      for (const { stream } of hosts) {
        stream.outbox.oweUri('file:///a');
        fanOut.enqueue(stream);
      }
      clock.advance(0);
    };
    change();
    const [first] = chunks();
    expect(chunks().size).toBe(1);
    change();
    expect(chunks().size).toBe(1);
    expect(chunks()).not.toContain(first);
  });

  it('passes over a stream that closed in the meantime (FIELD C16)', () => {
    const { clock, hosts, oweTools, written } = fanOutTo(2);
    hosts.forEach(oweTools);
    hosts[0]?.sink.leave();
    clock.advance(0);
    expect(written()).toEqual([0, 1]);
  });

  it('says how many streams it walked, and how long after the first mark it was through', () => {
    const manual = new ManualClock(1_000);
    let laterMs = 0;
    const clock: Clock = {
      now: () => manual.now() + laterMs,
      after: (ms, task) => manual.after(ms, task),
      soon: (task) => manual.soon(task),
    };
    const passes: [number, number][] = [];
    const fanOut = new FanOut(clock, (...pass) => passes.push(pass));
    for (let n = 0; n < 129; n += 1) fanOut.enqueue(sampleStream());
    manual.runSoon();
    laterMs = 7;
    const late = sampleStream();
    fanOut.enqueue(late);
    manual.runSoon();
    laterMs = 9;
    manual.runSoon();
    expect(passes).toEqual([
      [129, 7],
      [1, 2],
    ]);
  });
});
