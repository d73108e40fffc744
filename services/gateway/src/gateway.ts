import { openLimits } from '@listen-gateway/broker-redis';
import {
  type Broker,
  type Clock,
  type Drain,
  type Random,
  type SharedLimits,
  Streams,
  type StreamsOptions,
  startDrain,
  together,
} from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import {
  createGuard,
  type Log,
  type Metrics,
  type Readiness,
  startHttpServer,
  systemClock,
} from '@listen-gateway/service-kit';
import { SharedKeys } from './auth/shared-keys.ts';
import { VerifiedTokens } from './auth/verified-tokens.ts';
import { watchAuthentication } from './auth/watch-authentication.ts';
import type { GatewayConfig } from './config.ts';
import type { EndpointOptions } from './http/endpoint.ts';
import { mcpEndpoint } from './http/mcp-endpoint.ts';
import { refusalMetrics } from './http/metrics.ts';
import { TrustedProxies } from './http/trusted-proxies.ts';
import { Turnstile } from './http/turnstile.ts';
import { HostLimits } from './limits/host-limits.ts';
import { LostHosts } from './lost-hosts/lost-hosts.ts';
import { readTcpTables } from './lost-hosts/tcp-table.ts';
import { authorizerMetrics, lostHostMetrics, streamMetrics } from './metrics.ts';
import { readinessOf } from './readiness.ts';
import { closeServers, openServers, type Server, type ServersOptions } from './servers.ts';
import { streamLog } from './stream-log.ts';
import { fanOutSpan } from './tracing/fan-out-span.ts';
import { proxyMetrics } from './upstream/metrics.ts';

export interface GatewayOptions {
  readonly config: Omit<GatewayConfig, 'admin' | 'broker' | 'log'>;
  /** Its caller's to close, after the gateway. */
  readonly broker: Broker;
  /** Its caller's to close; without them this instance counts alone. */
  readonly limits?: SharedLimits;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Milliseconds since the epoch, by which tokens expire. */
  readonly wallNow?: () => number;
}

/** One running instance. */
export interface Gateway {
  /** The base of the MCP endpoint, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Whether a new listen would be served, and if not, why. */
  readiness(): Readiness;
  /** Refuses new listens from now on, waits for load balancers to notice, then ends the streams. */
  drain(): Drain;
  /** Stops listening and cuts what is left. */
  close(): Promise<void>;
}

/** Some ten milliseconds of work. */
const LISTENS_PER_TURN = 32;

/** Starts an instance; rejects where it cannot listen. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, broker, clock = systemClock, random = Math.random } = options;
  const watch = watchRequests(options);
  const setting = authSetting(options, clock);
  const onDisconnect: NonNullable<StreamsOptions['onDisconnect']> = (serverId, subject) => {
    servers.get(serverId)?.authorizer?.forget(subject);
    // After a gap tokens stand for the seconds that they are kept: issuers are not to be asked about all at once.
    if (subject !== undefined) setting.tokens.forget(subject);
  };
  const streams = openStreams(options, clock, onDisconnect);
  const lostHosts = openLostHosts(options, clock);
  const proxies = new TrustedProxies(config.http.trustedProxies);
  const servers: ReadonlyMap<ServerId, Server> = openServers(config.servers, {
    clock,
    proxies,
    publicUrl: config.http.publicUrl,
    onConsulted: watchAuthorizers(options),
    auth: { ...setting, streams, onFault: watch.onFault },
  });
  const fetch = mcpEndpoint({
    streams,
    lostHosts,
    servers,
    guard: createGuard({ ...config.http, host: config.listen.host, section: 'http' }),
    publicUrl: config.http.publicUrl,
    proxies,
    hostLimits: openHostLimits(options),
    listens: new Turnstile(clock, LISTENS_PER_TURN),
    limits: config.limits,
    clock,
    random,
    ...watch,
  });
  const server = await startHttpServer({ ...config.listen, fetch, onRefused: watch.onRefused });
  const forwards = [...servers.values()].some(({ upstream }) => upstream !== undefined);
  let draining = false;

  return {
    url: server.url,
    readiness: () => readinessOf({ draining, broker: broker.status(), forwards }),
    drain: () => {
      draining = true;
      return startDrain(streams, config.drain, { clock, random });
    },
    close: async () => {
      // Resolves with the last stream, and stops the timer that they share.
      const empty = streams.startDraining();
      lostHosts.stop();
      for (const stream of streams.open) stream.cut('drain-deadline');
      // Requests under way, refusals and forwarded ones, are answered first.
      const cancel = clock.after(config.drain.graceMs, () => server.cut());
      await Promise.all([server.close(), empty]);
      cancel();
      await closeServers(servers);
    },
  };
}

function openHostLimits({ config, limits = openLimits({ url: 'memory:' }) }: GatewayOptions): HostLimits {
  return new HostLimits(config.limits, limits, config.listen.host);
}

function authSetting({ log, metrics, wallNow = Date.now }: GatewayOptions, clock: Clock) {
  const [keys, tokens] = [new SharedKeys(), new VerifiedTokens(clock)];
  return { clock, wallNow, keys, tokens, observer: watchAuthentication(log, metrics) };
}

function openStreams(
  { config, broker, log, metrics }: GatewayOptions,
  clock: Clock,
  onDisconnect: NonNullable<StreamsOptions['onDisconnect']>,
): Streams {
  const streams: Streams = new Streams({
    broker,
    clock,
    observer: together([streamLog(log), streamMetrics(metrics.registry, () => streams.census(), config.limits)]),
    limits: config.limits,
    onDisconnect,
    follow: fanOutSpan,
    ...config.stream,
    endsWithResult: { 'token-expired': config.stream.resultAtExpiry, drain: config.stream.resultAtDrain },
  });
  return streams;
}

function watchRequests(options: GatewayOptions): Pick<EndpointOptions, 'onRefused' | 'onExchange' | 'onFault'> {
  const { log, metrics } = options;
  return {
    onRefused: refusalMetrics(metrics.registry),
    onExchange: watchExchanges(options),
    onFault: (err) => log.error({ err }, 'request failed'),
  };
}

/** Counts forwarded requests, and logs those that failed. */
function watchExchanges({ log, metrics }: GatewayOptions): EndpointOptions['onExchange'] {
  const count = proxyMetrics(metrics.registry);
  return (serverId, outcome, tookMs, trace) => {
    count(outcome.kind, tookMs);
    if (!('cause' in outcome)) return;
    // The error itself has a stack of nothing here, and may hold what the upstream said.
    const { code, message: why } = outcome.cause as NodeJS.ErrnoException;
    log.warn(
      { serverId, outcome: outcome.kind, code, why, trace_id: trace?.traceparent.slice(3, 35) },
      'upstream failed',
    );
  };
}

/** Counts questions to authorizers, and logs those that failed by the reason alone: the rest is the principal's. */
function watchAuthorizers({ log, metrics }: GatewayOptions): ServersOptions['onConsulted'] {
  const count = authorizerMetrics(metrics.registry);
  return (serverId, consultation, cause) => {
    count(consultation);
    if (consultation !== 'failed') return;
    const { code, message: why } = cause as NodeJS.ErrnoException;
    log.warn({ serverId, code, why }, 'authorizer failed');
  };
}

function openLostHosts({ config, log, metrics }: GatewayOptions, clock: Clock): LostHosts {
  const lostHosts = new LostHosts({
    clock,
    keepaliveMs: config.stream.keepaliveMs,
    readTables: readTcpTables,
    onLost: lostHostMetrics(metrics.registry),
    onFault: (err) => log.info({ err }, 'no table of connections here; lost hosts are left to the kernel'),
  });
  lostHosts.start();
  return lostHosts;
}
