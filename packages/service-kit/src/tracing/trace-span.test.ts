import { context, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { contextOf, remoteSpan, requestContext, traceAfter, tracer } from './trace-span.ts';

const CAME = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03',
  tracestate: 'rojo=00f067aa0ba902b7,congo=t61',
};

describe('a trace context', () => {
  it('is the span that it names, somewhere else', () => {
    const span = remoteSpan(CAME);
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 3,
      isRemote: true,
    });
    expect(span.traceState?.serialize()).toBe(CAME.tracestate);
    expect(trace.getSpanContext(contextOf(CAME))).toEqual(span);
    expect(trace.getSpanContext(requestContext(CAME))).toEqual(span);
  });

  it('is no context where there is none', () => expect(requestContext(undefined)).toBe(context.active()));

  it('stays as it came where no SDK records a span under it', () => {
    const span = tracer.startSpan('nothing', {}, contextOf(CAME));
    expect(traceAfter(span)).toBeUndefined();
    span.end();
  });
});
