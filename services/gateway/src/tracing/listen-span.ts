import type { IncomingHttpHeaders } from 'node:http';
import { LISTEN_METHOD, type ServerId } from '@listen-gateway/protocol';
import { requestContext, tracer } from '@listen-gateway/service-kit';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { requestTrace } from './request-trace.ts';

/** Ends the span of a listen, with the status of its answer. */
export type EndListenSpan = (status: number) => void;

/** Begins the span of a listen: it ends with the acknowledgement or the refusal, for a stream may be open for days. */
export function beginListenSpan(serverId: ServerId, headers: IncomingHttpHeaders, meta: unknown): EndListenSpan {
  const { parent, links } = requestTrace(headers, meta);
  const attributes = {
    'mcp.method.name': LISTEN_METHOD,
    'http.request.method': 'POST',
    'http.route': '/mcp/{server}',
    'listen_gateway.server': serverId,
  };
  const name = `${LISTEN_METHOD} ${serverId}`;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, links }, requestContext(parent));
  return (status) => {
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}
