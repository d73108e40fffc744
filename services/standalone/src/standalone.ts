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
import { newApiKey, type Publisher, startPublisher } from '@listen-gateway/service-publisher';
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
    const isSampled = config.sample.enabled && config.servers.get(serverId)?.upstream === undefined;
    const { key, sha256 } = newApiKey();
    const publisherConfig = isSampled
      ? admitting(config.publisher, { id: SAMPLE_KEY, sha256, servers: [serverId] })
      : config.publisher;
    const publisher = keep(await startPublisher({ config: { ...config, publisher: publisherConfig }, ...rest }));
    const place = { serverId, publisherUrl: publisher.url, publisherKey: key };
    const sample = isSampled ? keep(await startSample(config, place, rest.log)) : undefined;
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

const SAMPLE_KEY = 'standalone-sample';

/** Where publishers are authenticated, the sample server is one too: by a key of this run of the process. */
function admitting(
  publisher: PublisherSection,
  key: { id: string; sha256: string; servers: string[] },
): PublisherSection {
  const { auth } = publisher;
  return auth === undefined ? publisher : { ...publisher, auth: { ...auth, keys: [...(auth.keys ?? []), key] } };
}

type PublisherSection = StandaloneOptions['config']['publisher'];

function startSample(
  config: StandaloneOptions['config'],
  place: { readonly serverId: ServerId; readonly publisherUrl: string; readonly publisherKey: string },
  log: Log,
): Promise<SampleServer> {
  return startSampleServer({
    host: config.listen.host,
    port: config.sample.port,
    ...place,
    report: (err) => log.warn({ err }, 'sample change not published'),
  });
}
