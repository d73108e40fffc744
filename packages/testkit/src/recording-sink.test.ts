import type { SinkEvents } from '@listen-gateway/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecordingSink } from './recording-sink.ts';

describe('a recording sink', () => {
  const heard: string[] = [];
  const events: SinkEvents = { drained: () => heard.push('drained'), gone: () => heard.push('gone') };
  const chunk = { text: 'event: message\ndata: {"jsonrpc":"2.0","method":"x"}\n\n' };
  beforeEach(() => {
    heard.length = 0;
  });

  it('keeps chunks and reads their messages', () => {
    const sink = new RecordingSink(events);
    expect(sink.write(chunk)).toBe('accepted');
    sink.write({ text: ':\n\n' });
    sink.end(chunk);
    expect(sink.chunks).toHaveLength(3);
    expect(sink.messages).toEqual([
      { jsonrpc: '2.0', method: 'x' },
      { jsonrpc: '2.0', method: 'x' },
    ]);
    expect(sink.keepalives).toBe(1);
    expect(sink.closing).toBe('end');
    expect(heard).toEqual(['gone']);
  });

  it('blocks from the next write on until it is drained', () => {
    const sink = new RecordingSink(events);
    sink.block();
    expect(sink.write(chunk)).toBe('blocked');
    expect(() => sink.write(chunk)).toThrow('blocked');
    sink.drain();
    sink.drain();
    expect(sink.write(chunk)).toBe('accepted');
    expect(heard).toEqual(['drained']);
  });

  it('stays when it is ended while blocked, and is gone once drained', () => {
    const sink = new RecordingSink(events);
    sink.block();
    sink.write(chunk);
    sink.end(chunk);
    expect(heard).toEqual([]);
    sink.drain();
    expect(heard).toEqual(['drained', 'gone']);
  });

  it('reports that it is gone once, and takes nothing after that', () => {
    const sink = new RecordingSink(events);
    sink.leave();
    sink.cut();
    sink.end(chunk);
    sink.leave();
    expect(sink.write(chunk)).toBe('accepted');
    expect(heard).toEqual(['gone']);
    expect(sink.text).toBe('');
  });

  it('refuses a write after the end', () => {
    const sink = new RecordingSink(events);
    sink.block();
    sink.write(chunk);
    sink.end();
    expect(() => sink.write(chunk)).toThrow('a write after end');
  });
});
