import { describe, expect, it } from 'vitest';
import { parseFrames } from './sse-frames.ts';

describe('the strict reader of frames', () => {
  it('reads events and comments, in order', () => {
    expect(parseFrames('event: message\ndata: {"a":1}\n\n:\n\n: hello\ndata:1\ndata: 2\n\n')).toEqual([
      { event: 'message', data: '{"a":1}', comments: [] },
      { event: 'message', data: undefined, comments: [''] },
      { event: 'message', data: '1\n2', comments: ['hello'] },
    ]);
    expect(parseFrames('')).toEqual([]);
  });

  it.each([
    ['a frame without its blank line', 'data: 1\n\ndata: 2\n'],
    ['an empty frame', 'data: 1\n\n\n\n'],
    ['a frame that names an event and has no data', 'event: message\n\n'],
    ['a carriage return', 'data: 1\r\n\r\n'],
    ['a byte order mark', '\uFEFFdata: 1\n\n'],
    ['U+2028', 'data: "\u2028"\n\n'],
    ['an SSE id', 'id: 7\ndata: 1\n\n'],
    ['a retry time', 'retry: 1000\ndata: 1\n\n'],
    ['an unknown field', 'datum: 1\n\n'],
  ])('refuses %s', (_, text) => {
    expect(() => parseFrames(text)).toThrow();
  });
});
