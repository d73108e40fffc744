import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTraceContext, traceContextIn } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${SPAN}-01`;
const state = (text: string) => readTraceContext(PARENT, text)?.tracestate;

describe('a trace context', () => {
  it.each([PARENT, `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-03`])(
    'is handed on as it came: %s',
    (traceparent) => {
      expect(readTraceContext(traceparent)).toStrictEqual({ traceparent });
    },
  );

  it.each([
    ['nothing', undefined],
    ['no text', 7],
    ['an empty text', ''],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['upper case', PARENT.toUpperCase()],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['one digit of flags', `00-${TRACE}-${SPAN}-1`],
    ['a digit too many in the trace id', `00-0${TRACE}-${SPAN}-01`],
    ['more than version 00 has', `${PARENT}-00`],
    ['white space around it', ` ${PARENT}`],
    ['two in one header', `${PARENT}, ${PARENT}`],
    ['a line break', `${PARENT}\n`],
  ])('is none where traceparent is %s', (_what, traceparent) => {
    expect(readTraceContext(traceparent, 'acme=1')).toBeUndefined();
  });

  it('of a later version is read as this one, since what follows the four fields is unknown here', () => {
    for (const later of [`01-${TRACE}-${SPAN}-ff`, `cc-${TRACE}-${SPAN}-01-what-the-future-is`]) {
      expect(readTraceContext(later)).toStrictEqual({ traceparent: PARENT });
    }
    expect(readTraceContext(`01-${TRACE}-${SPAN}-02`)).toStrictEqual({ traceparent: `00-${TRACE}-${SPAN}-00` });
    expect(readTraceContext(`01-${TRACE}-${SPAN}-01.x`)).toBeUndefined();
  });

  it('keeps a state that is well-formed, without the space and the empty members around', () => {
    expect(state('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
    expect(state(' rojo=1 ,, fw529a3039@dt=FfffXHzw ,')).toBe('rojo=1,fw529a3039@dt=FfffXHzw');
  });

  it.each(['', ',', 'rojo', '=1', 'Rojo=1', 'rojo=', 'rojo=a=b', 'ro jo=1', 'rojo=ü', 'rojo=1;congo=2', 'a@b@c=1'])(
    'goes on without a state that is malformed: %j',
    (text) => expect(readTraceContext(PARENT, text)).toStrictEqual({ traceparent: PARENT }),
  );

  it('has at most 32 states in 512 characters: more is malformed, longer loses members from its end', () => {
    const members = (count: number, value: string) => Array.from({ length: count }, (_, n) => `k${n}=${value}`);
    expect(state(members(32, 'v').join(','))).toBe(members(32, 'v').join(','));
    expect(state(members(33, 'v').join(','))).toBeUndefined();
    const long = members(4, 'v'.repeat(200));
    expect(state(long.join(','))).toBe(long.slice(0, 2).join(','));
    expect(state(['a', 'b', 'c'].map((key) => `${key}=${'v'.repeat(256)}`).join(','))?.length).toBeLessThanOrEqual(512);
  });

  it('costs next to nothing to read, however long a host makes it', () => {
    // By a pattern that looks at white space again from each character of it, minutes.
    for (const filler of [' ', '\t ', ',', ' ,', 'a', 'a=1,']) {
      expect(state(`a=1${filler.repeat(250_000)}b`)).toBeUndefined();
    }
    expect(state(`a=1${' '.repeat(16_000)},b=2`)).toBe('a=1,b=2');
  });

  it('is read without a throw from any two values, and what is read is read the same again', () => {
    fc.assert(
      fc.property(fc.anything(), fc.oneof(fc.anything(), fc.string()), (traceparent, tracestate) => {
        expect(readTraceContext(traceparent, tracestate)).toBeUndefined();
        const read = readTraceContext(PARENT, tracestate);
        expect(readTraceContext(read?.traceparent, read?.tracestate)).toEqual(read);
      }),
    );
  });
});

describe('the trace context in _meta', () => {
  it('is what bears the names of the headers, beside anything else', () => {
    expect(traceContextIn({ traceparent: PARENT, tracestate: 'a=1', baggage: 'b=2', more: {} })).toStrictEqual({
      traceparent: PARENT,
      tracestate: 'a=1',
    });
  });

  it.each([undefined, null, 'x', 7, [], {}, { tracestate: 'a=1' }])('is none in %j', (meta) => {
    expect(traceContextIn(meta)).toBeUndefined();
  });
});
