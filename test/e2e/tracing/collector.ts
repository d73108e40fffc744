import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually } from '@listen-gateway/testkit';

/** A span as it was exported. */
export interface ExportedSpan {
  readonly service: string;
  /** Of the process: two instances are the same service. */
  readonly process: string;
  readonly scope: string;
  readonly name: string;
  /** As OTLP numbers them: 2 serves, 3 asks, 4 publishes, 5 consumes. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

/** Takes spans over OTLP/HTTP as JSON, as a collector of OpenTelemetry does. */
export class Collector {
  readonly spans: ExportedSpan[] = [];
  /** Whether requests are left without an answer. */
  hangs = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (incoming, outgoing) => void this.#take(incoming, outgoing));
  }

  static async open(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** What has a process export its spans here, soon after they end. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  /** Resolves with the spans of a trace once there are so many of them. */
  async trace(traceId: string, count: number): Promise<readonly ExportedSpan[]> {
    const found = () => this.spans.filter((span) => span.traceId === traceId);
    const names = () =>
      found()
        .map(({ name }) => name)
        .join(', ');
    await eventually(10_000, `${count} spans, ${names()} exported`, () => found().length >= count);
    return found();
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = (await json(incoming)) as OtlpTraces;
    if (incoming.url === '/v1/traces') this.spans.push(...spansIn(body));
    if (!this.hangs) outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function spansIn({ resourceSpans }: OtlpTraces): ExportedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const from = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ parentSpanId, links = [], attributes, status, ...span }) => ({
        service: `${from['service.namespace']}/${from['service.name']}`,
        process: String(from['service.instance.id']),
        scope: scope.name,
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId,
        links: links.map(({ spanId }) => spanId),
        attributes: valuesOf(attributes),
        failed: status.code === 2,
      })),
    );
  });
}

function valuesOf(attributes: readonly OtlpAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
