import type { TraceContext } from '@listen-gateway/protocol';
import {
  type Context,
  context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
} from '@opentelemetry/api';

/** The one tracer of this product; it does nothing until some SDK is there, ours or one that the process was started with. */
export const tracer = trace.getTracer('listen-gateway');

/** The span that a trace context names, as the parent or the link of another. */
export function remoteSpan({ traceparent, tracestate }: TraceContext): SpanContext {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}

/** The context of spans that go on with a trace. */
export function contextOf(parent: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, remoteSpan(parent));
}

/** The context of a span that serves a request: where the process is instrumented otherwise too, that has one already. */
export function requestContext(parent: TraceContext | undefined): Context {
  const active = context.active();
  return parent === undefined || trace.getSpan(active) !== undefined ? active : contextOf(parent);
}

/**
 * Where a trace stands after a span. Nowhere new, and so `undefined`, where the span is not recorded: to name one that
 * nobody will find would tear the trace that came in.
 */
export function traceAfter(span: Span): TraceContext | undefined {
  if (!span.isRecording()) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
