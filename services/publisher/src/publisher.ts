import { openLimits } from '@listen-gateway/broker-redis';
import type { Broker, Clock, Random, SharedLimits } from '@listen-gateway/core';
import {
  createGuard,
  type Log,
  type Metrics,
  type Readiness,
  startHttpServer,
  systemClock,
} from '@listen-gateway/service-kit';
import { openPublisherAuth } from './auth/publisher-auth.ts';
import type { PublisherConfig } from './config.ts';
import { openPace } from './http/pace.ts';
import { publisherApp } from './http/publisher-app.ts';
import { publishMetrics } from './metrics.ts';

export interface PublisherOptions {
  readonly config: PublisherConfig;
  readonly broker: Broker;
  /** Its caller's to close; without them this process counts alone. */
  readonly limits?: SharedLimits;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A publisher that listens. */
export interface Publisher {
  /** The base of its API, such as `http://127.0.0.1:8081`. */
  readonly url: string;
  /** Whether a publish would be taken, and if not, why. */
  readiness(): Readiness;
  /** Takes no more requests and answers those it has; one that is still arriving at the deadline is cut. */
  close(): Promise<void>;
}

/** Longer than a broker may take to answer a publish. */
const CLOSE_DEADLINE_MS = 3_000;

/** Starts a publisher on the address of its configuration; the broker stays its caller's to close. */
export async function startPublisher(options: PublisherOptions): Promise<Publisher> {
  const { config, broker, log, metrics, clock = systemClock, random = Math.random } = options;
  const { limits = openLimits({ url: 'memory:' }) } = options;
  const auth = openPublisherAuth(config.publisher.auth, log);
  const app = publisherApp({
    auth,
    pace: openPace(config.publisher, limits),
    guard: createGuard({ ...config.publisher, section: 'publisher' }),
    servers: config.servers,
    broker,
    metrics: publishMetrics(metrics.registry),
    random,
    log,
    clock,
  });
  const server = await startHttpServer({ fetch: app.fetch, ...config.publisher });
  let closing = false;
  return {
    url: server.url,
    readiness() {
      const status = broker.status();
      const reasons = [...(closing ? ['closing'] : []), ...(status.ready ? [] : [`broker: ${status.reason}`])];
      return { ready: reasons.length === 0, reasons };
    },
    async close() {
      closing = true;
      const cancel = clock.after(CLOSE_DEADLINE_MS, () => server.cut());
      await server.close();
      auth.close();
      cancel();
    },
  };
}
