import { Writable } from 'node:stream';
import { type Broker, type Clock, MemoryBroker } from '@listen-gateway/core';
import type { Change, ServerId } from '@listen-gateway/protocol';
import { createLog, createMetrics, systemClock } from '@listen-gateway/service-kit';
import {
  eventually,
  HeldBroker,
  type ListenAnswer,
  type ListenOptions,
  openListen,
  TEST_SERVER,
  within,
} from '@listen-gateway/testkit';
import { afterEach } from 'vitest';
import { type GatewayConfig, gatewayConfig } from '../src/config.ts';
import { type Gateway, startGateway } from '../src/gateway.ts';

/** Sections of the configuration, as `listen-gateway.yaml` would have them. */
export type ConfigSketch = Readonly<Record<string, unknown>>;

/** A running instance over the memory broker, its log and metrics in the test's hand. */
export class TestGateway {
  readonly gateway: Gateway;
  readonly broker: HeldBroker;
  /** Every line of its log, at the level `debug` unless the test sets another. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly #expose: () => Promise<string>;

  constructor(parts: Pick<TestGateway, 'gateway' | 'broker' | 'log'>, expose: () => Promise<string>) {
    this.gateway = parts.gateway;
    this.broker = parts.broker;
    this.log = parts.log;
    this.#expose = expose;
  }

  /** Where the server `default` is served. */
  get url(): string {
    return `${this.gateway.url}/mcp`;
  }

  /** Opens a stream and reads its acknowledgement; fails where there is none. */
  async open(options: ListenOptions = {}, url = this.url): Promise<ListenAnswer> {
    const stream = await openListen(url, options);
    const first = await stream.next('the acknowledgement');
    if (first.method !== ACKNOWLEDGED) throw new Error(`the first message is ${JSON.stringify(first)}`);
    return stream;
  }

  async publish(changes: Change | readonly Change[], serverId: ServerId = TEST_SERVER): Promise<void> {
    await this.broker.publish(serverId, [changes].flat());
  }

  /** The value of one series, as `/metrics` would print it. */
  async metric(series: string): Promise<number> {
    const line = (await this.#expose()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
  }

  /** Resolves once so many streams are open. */
  async holds(streams: number, limitMs = 5_000): Promise<void> {
    await eventually(
      limitMs,
      `${streams} open streams`,
      async () => (await this.metric('lg_streams_open')) === streams,
    );
  }

  /** The reasons with which streams closed, in order. */
  get closeReasons(): readonly unknown[] {
    return this.log.filter(({ msg }) => msg === 'stream closed').map(({ reason }) => reason);
  }
}

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const gateways: Gateway[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await within(10_000, 'the end of the gateway', gateway.close());
});

export interface OpenOptions {
  readonly inner?: Broker;
  readonly clock?: Clock;
  /** Milliseconds since the epoch, by which tokens expire. */
  readonly wallNow?: () => number;
}

/** Starts an instance on a free port; it is closed after the test. */
export async function openGateway(
  sketch: ConfigSketch = {},
  { inner, clock = systemClock, wallNow = Date.now }: OpenOptions = {},
): Promise<TestGateway> {
  const log: Record<string, unknown>[] = [];
  const destination = new Writable({
    write: (line, _encoding, done) => {
      log.push(JSON.parse(String(line)) as Record<string, unknown>);
      done();
    },
  });
  const config: GatewayConfig = gatewayConfig.parse({ listen: { port: 0 }, log: { level: 'debug' }, ...sketch });
  const broker = new HeldBroker(inner ?? new MemoryBroker({ clock }));
  const metrics = createMetrics({ service: 'gateway' });
  const gateway = await startGateway({
    config,
    broker,
    log: createLog(config.log, { destination }),
    metrics,
    clock,
    wallNow,
  });
  gateways.push(gateway);
  return new TestGateway({ gateway, broker, log }, async () => (await metrics.expose()).text);
}

/** Publishes to a host that does not read until the instance sees it blocked: its own and the kernel's buffers are full. */
export async function fillUp(gateway: TestGateway, uris: readonly string[]): Promise<void> {
  const changes = uris.map((uri): Change => ({ kind: 'resource', uri }));
  const coalesced = () => gateway.metric('lg_notifications_coalesced_total{kind="resource"}');
  await eventually(20_000, 'the stalled host to block', async () => {
    await gateway.publish(changes);
    await new Promise(setImmediate);
    return (await coalesced()) > 0;
  });
}
