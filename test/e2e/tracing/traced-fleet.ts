import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type ListenAnswer,
  type ListenOptions,
  openListen,
  openRedis,
  openTcpRelay,
  type Redis,
  type ServiceProcess,
  startService,
  type TcpRelay,
} from '@listen-gateway/testkit';

/** A traceparent of its own, as a backend that traces sends it. */
export function newParent(): { readonly traceId: string; readonly spanId: string; readonly traceparent: string } {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

/** A publisher, two instances and an upstream that writes down what it is asked, as real processes over a real Redis. */
export class TracedFleet {
  readonly publisher: ServiceProcess;
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
  /** The way of the first instance to Redis, for a test to cut. */
  readonly relay: TcpRelay;
  /** The headers of each request that came to the upstream. */
  readonly asked: IncomingHttpHeaders[] = [];
  readonly #redis: Redis;
  readonly #upstream: Server;

  private constructor(parts: Parts) {
    this.publisher = parts.publisher;
    this.gateways = parts.gateways;
    this.relay = parts.relay;
    this.#redis = parts.redis;
    this.#upstream = parts.upstream;
    parts.upstream.on('request', async (incoming, outgoing) => {
      this.asked.push(incoming.headers);
      const { id } = JSON.parse(await text(incoming)) as { id: unknown };
      const headers = { 'Content-Type': 'application/json' };
      outgoing.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete' } }));
    });
  }

  static async open(env: Readonly<Record<string, string>>): Promise<TracedFleet> {
    const redis = await openRedis();
    const relay = await openTcpRelay(redis.url);
    const upstream = createServer();
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
    const LG_SERVERS = JSON.stringify({ default: {}, backed: { upstream: { url } } });
    const start = (name: 'gateway' | 'publisher', LG_BROKER__URL: string) =>
      startService(name, { LG_SERVERS, LG_BROKER__URL, ...env });
    const [publisher, first, second] = await Promise.all([
      start('publisher', redis.url),
      start('gateway', relay.url),
      start('gateway', redis.url),
    ]);
    return new TracedFleet({ redis, relay, upstream, publisher, gateways: [first, second] });
  }

  /** A host at each instance. */
  async listen(options: ListenOptions = {}): Promise<readonly [ListenAnswer, ListenAnswer]> {
    const [first, second] = await Promise.all(this.gateways.map((gateway) => this.listenAt(gateway, options)));
    return [first as ListenAnswer, second as ListenAnswer];
  }

  async listenAt(gateway: ServiceProcess, options: ListenOptions = {}, server = 'default'): Promise<ListenAnswer> {
    const stream = await openListen(`${gateway.url}/mcp/${server}`, options);
    await stream.next('the acknowledgement');
    return stream;
  }

  async publish(body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const response = await fetch(`${this.publisher.url}/v1/servers/default/changes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.publisher, ...this.gateways].map((service) => service.kill()));
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    await this.relay.close();
    await this.#redis.close();
  }
}

interface Parts {
  readonly redis: Redis;
  readonly relay: TcpRelay;
  readonly upstream: Server;
  readonly publisher: ServiceProcess;
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
}

/** The traceparent that a host was told, in its parts. */
export async function told(stream: ListenAnswer): Promise<{ readonly traceId?: string; readonly spanId?: string }> {
  const { params } = await stream.next('the notification', 15_000);
  const [, traceId, spanId] = String(params?._meta?.traceparent ?? '').split('-');
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}
