import type { IncomingHttpHeaders } from 'node:http';
import { readTraceContext, type TraceContext, traceContextIn } from '@listen-gateway/protocol';
import { remoteSpan } from '@listen-gateway/service-kit';
import type { Link } from '@opentelemetry/api';

/** What a request of a host says of the trace that it belongs to. */
export interface RequestTrace {
  readonly parent: TraceContext | undefined;
  readonly links: Link[];
}

/**
 * The trace of a message goes before that of the HTTP request that brought it, which a proxy on the way may have begun; a
 * span is linked to that then. Both are read here, since the message may name the one that its host is in (SEP-414).
 */
export function requestTrace(headers: IncomingHttpHeaders, meta: unknown): RequestTrace {
  const ofMessage = traceContextIn(meta);
  const ofRequest = readTraceContext(headers.traceparent, headers.tracestate);
  const linked = ofMessage !== undefined && ofRequest !== undefined && ofRequest.traceparent !== ofMessage.traceparent;
  return { parent: ofMessage ?? ofRequest, links: linked ? [{ context: remoteSpan(ofRequest) }] : [] };
}
