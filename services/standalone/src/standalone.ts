import type { Broker } from '@listen-gateway/core';
import { DEFAULT_SERVER_ID, type ServerId } from '@listen-gateway/protocol';
import { type Gateway, startGateway } from '@listen-gateway/service-gateway';
import type { Log, Metrics, Readiness } from '@listen-gateway/service-kit';
import { type Publisher, startPublisher } from '@listen-gateway/service-publisher';
import { type SampleServer, startSampleServer } from '@listen-gateway/service-sample-server';
import type { StandaloneConfig } from './config.ts';

export interface StandaloneOptions {
  readonly config: Omit<StandaloneConfig, 'admin' | 'broker' | 'log'>;
  /** Its caller's to close, after the rest. */
  readonly broker: Broker;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Gateway and publisher in one process, with a sample server beside them. */
export interface Standalone {
  readonly gateway: Gateway;
  readonly publisher: Publisher;
  readonly sample: SampleServer | undefined;
  /** The server that the sample server publishes for. */
  readonly serverId: ServerId;
  readiness(): Readiness;
  /** Stops all; the streams are the gateway's to drain before. */
  close(): Promise<void>;
}

/** Starts everything; where one part cannot listen, the others are stopped again. */
export async function startStandalone({ config, broker, log, metrics }: StandaloneOptions): Promise<Standalone> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  const serverId = firstServer(config.servers);
  try {
    const gateway = keep(await startGateway({ config, broker, log, metrics }));
    const publisher = keep(await startPublisher({ config, broker, log, metrics }));
    const sample = config.sample.enabled ? keep(await startSample(config, publisher, serverId, log)) : undefined;
    return { gateway, publisher, sample, serverId, readiness: () => gateway.readiness(), close };
  } catch (err) {
    await close();
    throw err;
  }
}

function firstServer(servers: StandaloneConfig['servers']): ServerId {
  return servers.has(DEFAULT_SERVER_ID) ? DEFAULT_SERVER_ID : (servers.keys().next().value ?? DEFAULT_SERVER_ID);
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
