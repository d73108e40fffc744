import type { Broker, SharedLimits } from '@listen-gateway/core';
import { DEFAULT_SERVER_ID, type ServerId } from '@listen-gateway/protocol';
import { type Gateway, startGateway } from '@listen-gateway/service-gateway';
import {
  type Log,
  type Metrics,
  type Readiness,
  type ServersConfig,
  upstreamConfig,
} from '@listen-gateway/service-kit';
import { type Publisher, startPublisher } from '@listen-gateway/service-publisher';
import { type SampleServer, startSampleServer } from '@listen-gateway/service-sample-server';
import type { StandaloneConfig } from './config.ts';

export interface StandaloneOptions {
  readonly config: Omit<StandaloneConfig, 'admin' | 'broker' | 'log'>;
  /** Its caller's to close, after the rest. */
  readonly broker: Broker;
  /** Its caller's to close; without them each part counts alone. */
  readonly limits?: SharedLimits;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Gateway and publisher in one process, with a sample server behind them. */
export interface Standalone {
  readonly gateway: Gateway;
  readonly publisher: Publisher;
  readonly sample: SampleServer | undefined;
  /** The server that the sample server stands behind. */
  readonly serverId: ServerId;
  readiness(): Readiness;
  /** Stops all; the streams are the gateway's to drain before. */
  close(): Promise<void>;
}

/** Starts everything; where one part cannot listen, the others are stopped again. */
export async function startStandalone({ config, ...rest }: StandaloneOptions): Promise<Standalone> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  const serverId = sampledServer(config.servers);
  try {
    const publisher = keep(await startPublisher({ config, ...rest }));
    const isSampled = config.sample.enabled && config.servers.get(serverId)?.upstream === undefined;
    const sample = isSampled ? keep(await startSample(config, publisher, serverId, rest.log)) : undefined;
    const servers = sample === undefined ? config.servers : withUpstream(config.servers, serverId, sample.url);
    const gateway = keep(await startGateway({ config: { ...config, servers }, ...rest }));
    return { gateway, publisher, sample, serverId, readiness: () => gateway.readiness(), close };
  } catch (err) {
    await close();
    throw err;
  }
}

/** The server that the sample stands behind: the default, if there is one that has no upstream, else the first such. */
function sampledServer(servers: ServersConfig): ServerId {
  const free = [...servers].filter(([, { upstream }]) => upstream === undefined).map(([serverId]) => serverId);
  return (
    free.find((serverId) => serverId === DEFAULT_SERVER_ID) ?? free[0] ?? [...servers.keys()][0] ?? DEFAULT_SERVER_ID
  );
}

function withUpstream(servers: ServersConfig, serverId: ServerId, url: string): ServersConfig {
  const server = servers.get(serverId);
  return server === undefined
    ? servers
    : new Map([...servers, [serverId, { ...server, upstream: upstreamConfig.parse({ url }) }]]);
}

function startSample(
  config: StandaloneOptions['config'],
  publisher: Publisher,
  serverId: ServerId,
  log: Log,
): Promise<SampleServer> {
  return startSampleServer({
    host: config.listen.host,
    port: config.sample.port,
    publisherUrl: publisher.url,
    serverId,
    report: (err) => log.warn({ err }, 'sample change not published'),
  });
}
