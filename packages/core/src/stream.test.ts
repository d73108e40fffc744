import { type RecordingSink, recordingSinks } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { type StreamSketch, sampleStream } from '../test/sample-stream.ts';
import { CLOSE_REASONS, ENDS_WITH_RESULT } from './close-reason.ts';
import type { Stream } from './stream.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

interface Scene {
  readonly stream: Stream;
  readonly sink: RecordingSink;
  /** What the stream told its owner, in order. */
  readonly told: string[];
  /** The methods of the messages so far; `result` for the result. */
  methods(): readonly string[];
}

function opening(sketch: StreamSketch = {}): Scene {
  const told: string[] = [];
  const { open, sinks } = recordingSinks();
  const stream: Stream = sampleStream({
    honored: { toolsListChanged: true, resourceSubscriptions: ['file:///a'] },
    openSink: open,
    owner: {
      writable: () => told.push('writable'),
      blocked: () => {
        told.push('blocked');
        stream.blockedSince = 0;
      },
      closed: (_, reason) => told.push(`closed ${reason}`),
    },
    ...sketch,
  });
  const sink = sinks[0] as RecordingSink;
  const methods = () => sink.messages.map(({ method, result }) => method ?? (result && 'result') ?? 'neither');
  return { stream, sink, told, methods };
}

function live(sketch: StreamSketch = {}): Scene {
  const scene = opening(sketch);
  scene.stream.acknowledge();
  return scene;
}

function blocked(): Scene {
  const scene = live();
  scene.sink.block();
  scene.stream.outbox.oweList('tools');
  scene.stream.flush();
  return scene;
}

describe('an opening stream', () => {
  it('writes nothing, whatever it owes and whenever a keepalive is due (P-1.3, SUB-04)', () => {
    const { stream, sink } = opening();
    stream.outbox.oweList('tools');
    stream.flush();
    stream.keepalive();
    expect(sink.chunks).toEqual([]);
    expect(stream.outbox.isEmpty).toBe(false);
  });

  it('sends the acknowledgement first and what it owed by then after it, in one write (P-1.3, SUB-04, FIELD C1)', () => {
    const { stream, sink, methods } = opening();
    stream.outbox.oweUri('file:///a');
    stream.outbox.oweList('tools');
    stream.acknowledge();
    expect(sink.chunks).toHaveLength(1);
    expect(methods()).toEqual([ACKNOWLEDGED, 'notifications/tools/list_changed', 'notifications/resources/updated']);
    stream.acknowledge();
    stream.flush();
    expect(sink.chunks).toHaveLength(1);
  });

  it('is closed by its end at once, and leaves the response to be answered with an error (SUB-12)', () => {
    const { stream, sink, told } = opening();
    stream.end('attach-failed');
    expect(stream.state).toEqual({ phase: 'closed', reason: 'attach-failed' });
    stream.acknowledge();
    expect(told).toEqual(['closed attach-failed']);
    expect(sink).toMatchObject({ chunks: [], closing: 'no' });
  });

  it('is closed by its host, and sends nothing to it (SUB-09)', () => {
    const { stream, sink, told } = opening();
    sink.leave();
    stream.acknowledge();
    stream.end('drain');
    expect(told).toEqual(['closed host-gone']);
    expect(sink).toMatchObject({ chunks: [], closing: 'no' });
  });
});

describe('a live stream', () => {
  it('writes all that it owes at once, and then owes nothing (P-1.5)', () => {
    const { stream, sink, methods } = live();
    stream.outbox.oweList('tools');
    stream.outbox.oweUri('file:///a');
    stream.flush();
    stream.flush();
    expect(sink.chunks).toHaveLength(2);
    expect(methods().slice(1)).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
    expect(stream.outbox.isEmpty).toBe(true);
  });

  it('sends a comment as keepalive (INS-02, FIELD C6)', () => {
    const { stream, sink, methods } = live();
    stream.keepalive();
    expect(sink.keepalives).toBe(1);
    expect(methods()).toEqual([ACKNOWLEDGED]);
  });

  it.each(CLOSE_REASONS.filter((reason) => ENDS_WITH_RESULT[reason]))(
    'ended by %s sends what it owes and the result in one write, then ends (P-1.8, SUB-10, FIELD C21)',
    (reason) => {
      const { stream, sink, told, methods } = live();
      stream.outbox.oweList('tools');
      stream.end(reason);
      stream.end('slow-host');
      stream.flush();
      expect(methods()).toEqual([ACKNOWLEDGED, 'notifications/tools/list_changed', 'result']);
      expect(sink).toMatchObject({ closing: 'end', chunks: { length: 2 } });
      expect(told).toEqual([`closed ${reason}`]);
    },
  );

  it.each(CLOSE_REASONS.filter((reason) => !ENDS_WITH_RESULT[reason]))(
    'ended by %s is dropped without a result, so that its host listens again (P-1.8)',
    (reason) => {
      const { stream, sink, told, methods } = live();
      stream.end(reason);
      expect(methods()).toEqual([ACKNOWLEDGED]);
      expect(sink.closing).toBe('cut');
      expect(told).toEqual([`closed ${reason}`]);
    },
  );

  it('sends no completion to a host that left, and closes once (SUB-09, FIELD C16, F13)', () => {
    const { stream, sink, told, methods } = live();
    sink.leave();
    stream.gone();
    stream.end('drain');
    stream.cut('drain-deadline');
    stream.keepalive();
    stream.outbox.oweList('tools');
    stream.flush();
    expect(methods()).toEqual([ACKNOWLEDGED]);
    expect(told).toEqual(['closed host-gone']);
  });

  it('tags every message with its id (P-1.4, SUB-05)', () => {
    for (const id of [0, '', '1', 1]) {
      const { stream, sink } = live({ id });
      stream.outbox.oweList('tools');
      stream.end('drain');
      const ids = sink.messages.map(({ params, result }) => (params ?? result)?._meta);
      expect(ids.map((meta) => meta?.['io.modelcontextprotocol/subscriptionId'])).toStrictEqual([id, id, id]);
      expect(sink.messages.at(-1)?.id).toBe(id);
    }
  });
});

describe('a blocked stream', () => {
  it('keeps what it owes until its host reads again (FIELD C35)', () => {
    const { stream, sink, told } = blocked();
    for (let n = 0; n < 1_000; n += 1) {
      stream.outbox.oweList('tools');
      stream.flush();
      stream.keepalive();
    }
    expect(sink.chunks).toHaveLength(2);
    sink.drain();
    expect(told).toEqual(['blocked', 'writable']);
    stream.flush();
    expect(sink.chunks).toHaveLength(3);
  });

  it('may be blocked by its acknowledgement already', () => {
    const { stream, sink, told } = opening();
    sink.block();
    stream.acknowledge();
    stream.outbox.oweList('tools');
    stream.flush();
    expect(told).toEqual(['blocked']);
    expect(sink.chunks).toHaveLength(1);
  });

  it('ends with what it owes and the result, once its host has read so far (P-1.8)', () => {
    const { stream, sink, told, methods } = blocked();
    stream.outbox.oweUri('file:///a');
    stream.end('drain');
    expect(stream.state).toEqual({ phase: 'closing', reason: 'drain' });
    expect(told).toEqual(['blocked']);
    sink.drain();
    expect(methods().slice(-2)).toEqual(['notifications/resources/updated', 'result']);
    expect(told.at(-1)).toBe('closed drain');
  });

  it('is cut where it does not take its end in time', () => {
    const { stream, sink, told } = blocked();
    stream.end('drain');
    stream.cut('drain-deadline');
    expect(sink.closing).toBe('cut');
    expect(told).toEqual(['blocked', 'closed drain-deadline']);
  });

  it('is not reported as blocked where its host went away within the write', () => {
    const told: string[] = [];
    const stream: Stream = sampleStream({
      openSink: (events) => ({
        write: () => {
          events.gone();
          return 'blocked';
        },
        end: () => {},
        cut: () => {},
      }),
      owner: { blocked: () => told.push('blocked'), closed: (_, reason) => told.push(reason) },
    });
    stream.acknowledge();
    expect(told).toEqual(['host-gone']);
  });
});
