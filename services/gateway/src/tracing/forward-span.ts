import type { IncomingHttpHeaders } from 'node:http';
import type { ServerId, TraceContext } from '@listen-gateway/protocol';
import { requestContext, traceAfter, tracer } from '@listen-gateway/service-kit';
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ExchangeOutcome } from '../upstream/exchange.ts';
import { requestTrace } from './request-trace.ts';

/** A request that is forwarded, for the span of it. */
export interface ForwardedRequest {
  readonly serverId: ServerId;
  readonly headers: IncomingHttpHeaders;
  readonly meta: unknown;
  /** The name of its MCP method, where it has one. */
  readonly method: string | undefined;
}

/** Longer is no method that anybody has, and whatever a host sends would be kept. */
const LONGEST_METHOD = 100;

/** One forwarded request as a trace shows it, to the end of its answer. */
export class ForwardSpan {
  /** What the upstream is told; where nothing is recorded, what the host said stays as it is. */
  readonly trace: TraceContext | undefined;
  readonly #span: Span;

  constructor({ serverId, headers, meta, method }: ForwardedRequest) {
    const { parent, links } = requestTrace(headers, meta);
    const attributes = {
      ...(method !== undefined && { 'mcp.method.name': method.slice(0, LONGEST_METHOD) }),
      'http.request.method': 'POST',
      'listen_gateway.server': serverId,
    };
    const name = `forward ${serverId}`;
    this.#span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, requestContext(parent));
    this.trace = traceAfter(this.#span);
  }

  ended(outcome: ExchangeOutcome): void {
    const span = this.#span;
    if (outcome.kind === 'answered') span.setAttribute('http.response.status_code', outcome.status);
    const error = errorOf(outcome);
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

/** Of a client's span, an answer that tells of a fault of either side is one. */
function errorOf(outcome: ExchangeOutcome): string | undefined {
  if (outcome.kind === 'answered') return outcome.status >= 400 ? String(outcome.status) : undefined;
  if (outcome.kind === 'host-gone') return undefined;
  return (outcome.cause as NodeJS.ErrnoException).code ?? outcome.kind;
}
