import type { IncomingHttpHeaders } from 'node:http';
import { type Change, readTraceContext, type ServerId, type TraceContext } from '@listen-gateway/protocol';
import { contextOf, remoteSpan, requestContext, traceAfter, tracer } from '@listen-gateway/service-kit';
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';

const MESSAGING = { 'messaging.system': 'listen-gateway', 'messaging.operation.type': 'send' } as const;

/** As the OpenAPI document names it. */
const ROUTE = '/v1/servers/{server}/changes';

/** One request to publish as a trace shows it, if there is a trace: the backend's goes on, or one begins here. */
export class PublishSpan {
  readonly #span: Span;
  /** What changes are published with that have no trace of their own. */
  readonly #trace: TraceContext | undefined;

  constructor(headers: IncomingHttpHeaders, method: string) {
    const came = readTraceContext(headers.traceparent, headers.tracestate);
    const attributes = { ...MESSAGING, 'messaging.operation.name': 'publish', 'http.request.method': method };
    this.#span = tracer.startSpan('publish', { kind: SpanKind.SERVER, attributes }, requestContext(came));
    this.#trace = traceAfter(this.#span) ?? came;
  }

  /** For the log. */
  get traceId(): string | undefined {
    return this.#trace && remoteSpan(this.#trace).traceId;
  }

  /**
   * The changes as the broker is to carry them. One that has a trace of its own stays with it, under a span of its own,
   * which this one is linked to; the others go on with this one's.
   */
  carried(serverId: ServerId, changes: readonly Change[]): readonly Change[] {
    this.#span.updateName(`publish ${serverId}`);
    const destination = { 'messaging.destination.name': serverId };
    this.#span.setAttributes({ ...destination, 'messaging.batch.message_count': changes.length });
    return changes.map((change) => {
      const trace = change.trace === undefined ? this.#trace : this.#create(serverId, change.trace);
      return trace === undefined ? change : { ...change, trace };
    });
  }

  ended(status: number, outcome: string | undefined): void {
    this.#span.setAttributes({ 'http.route': ROUTE, 'http.response.status_code': status });
    if (outcome !== undefined) this.#span.setAttribute('listen_gateway.outcome', outcome);
    if (status >= 500) this.#span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }

  #create(serverId: ServerId, own: TraceContext): TraceContext {
    const attributes = {
      ...MESSAGING,
      'messaging.operation.type': 'create',
      'messaging.operation.name': 'create',
      'messaging.destination.name': serverId,
    };
    const links = this.#span.isRecording() ? [{ context: this.#span.spanContext() }] : [];
    const span = tracer.startSpan(`create ${serverId}`, { kind: SpanKind.PRODUCER, attributes, links }, contextOf(own));
    const trace = traceAfter(span) ?? own;
    span.end();
    return trace;
  }
}
