import type { Filter } from '@listen-gateway/protocol';
import { ManualClock, RecordingObserver, type RecordingSink, recordingSinks } from '@listen-gateway/testkit';
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
  const observer = new RecordingObserver();
  const { passes, agesMs } = observer;
  const fanOut = new FanOut(clock, observer);
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
  return { clock, fanOut, hosts, oweTools, passes, agesMs, written, writes };
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
    const fanOut = new FanOut(clock, new RecordingObserver());
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
    const observer = new RecordingObserver();
    const fanOut = new FanOut(clock, observer);
    for (let n = 0; n < 129; n += 1) fanOut.enqueue(sampleStream());
    manual.runSoon();
    laterMs = 7;
    const late = sampleStream();
    fanOut.enqueue(late);
    manual.runSoon();
    laterMs = 9;
    manual.runSoon();
    expect(observer.passes).toEqual([
      { streams: 129, tookMs: 7 },
      { streams: 1, tookMs: 2 },
    ]);
  });
});

describe('a change', () => {
  it('is timed once, from when the broker took it to the end of the pass that wrote it, however many streams', () => {
    const { clock, fanOut, hosts, oweTools, agesMs } = fanOutTo(300);
    clock.advance(50);
    hosts.forEach(oweTools);
    fanOut.time(1_000);
    fanOut.time(1_020);
    clock.runSoon();
    clock.runSoon();
    expect(agesMs).toEqual([]);
    clock.runSoon();
    expect(agesMs).toEqual([50, 30]);
  });

  it('that comes while a pass runs is timed to the end of the one that writes it', () => {
    const { clock, fanOut, hosts, oweTools, agesMs } = fanOutTo(200);
    const [walked, ahead] = [hosts[0] as Host, hosts[199] as Host];
    hosts.forEach(oweTools);
    clock.runSoon();
    oweTools(ahead);
    fanOut.time(997);
    oweTools(walked);
    fanOut.time(998);
    clock.runSoon();
    expect(agesMs, 'the running pass has yet to reach the one stream').toEqual([3]);
    clock.runSoon();
    expect(agesMs).toEqual([3, 2]);
    expect(clock.pending).toBe(0);
  });

  it('is not timed where it is written to nobody, because they have left or do not read', () => {
    const { clock, fanOut, hosts, oweTools, agesMs } = fanOutTo(2);
    const [leaver, stalled] = hosts as [Host, Host];
    stalled.stream.blockedSince = 0;
    hosts.forEach(oweTools);
    leaver.sink.leave();
    fanOut.time(1_000);
    clock.advance(0);
    expect(agesMs).toEqual([]);
  });

  it('is one of 4096 at most that are timed in a pass, and the next pass begins anew', () => {
    const { clock, fanOut, hosts, oweTools, agesMs } = fanOutTo(1);
    for (const expected of [4_096, 8_192]) {
      hosts.forEach(oweTools);
      for (let change = 0; change < 5_000; change += 1) fanOut.time(1_000);
      clock.advance(0);
      expect(agesMs).toHaveLength(expected);
    }
  });
});
