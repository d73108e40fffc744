import {
  freePort,
  makeFrontCertificate,
  openRedisProcess,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import type { Site } from './balancer.ts';
import { openRecordingServer, type RecordingServer } from './recording-server.ts';

/** What an operator has behind a load balancer: two instances, a server, a publisher and Redis, each a real process but the server. */
export interface Backends {
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
  readonly server: RecordingServer;
  /** The site for a load balancer on a port of its own. */
  site(): Promise<Site>;
  /** Publishes that the tool list changed, as a backend does. */
  publish(): Promise<void>;
  /** Streams open on both instances together. */
  streams(): Promise<number>;
  close(): Promise<void>;
}

/** Starts them, the instances with this environment. */
export async function openBackends(env: Readonly<Record<string, string>> = {}): Promise<Backends> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  // What is open by then would keep the test from ending.
  return open(env, opened, close).catch(async (error: unknown) => {
    await close();
    throw error;
  });
}

async function open(
  env: Readonly<Record<string, string>>,
  opened: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Backends> {
  const [redis, certificate] = [await openRedisProcess(), await makeFrontCertificate()];
  opened.push(certificate.close, () => redis.close());
  const [port, adminPort] = [await freePort(), await freePort()];
  const server = await openRecordingServer(await freePort());
  opened.push(server.close);
  const servers = JSON.stringify({ default: { upstream: { url: `http://127.0.0.1:${server.port}/mcp` } } });
  const settings = { LG_BROKER__URL: redis.url, LG_SERVERS: servers };
  const start = async (...args: Parameters<typeof startService>) => {
    const service = await startService(...args);
    opened.push(() => service.kill());
    return service;
  };
  const [publisher, first, second] = await Promise.all([
    start('publisher', settings),
    start('gateway', { ...settings, ...env }, { host: '127.0.0.1', port, adminPort }),
    start('gateway', { ...settings, ...env }, { host: '127.0.0.2', port, adminPort }),
  ]);
  const gateways = [first, second] as const;
  return {
    gateways,
    server,
    site: async () => ({
      certificate,
      port: await freePort(),
      gateways: { port, adminPort },
      servers: { port: server.port },
    }),
    publish: () => publish(publisher),
    streams: async () => {
      const open = await Promise.all(gateways.map((gateway) => gateway.metric('lg_streams_open')));
      return open.reduce((sum, streams) => sum + streams, 0);
    },
    close,
  };
}

async function publish(publisher: ServiceProcess): Promise<void> {
  const response = await fetch(`${publisher.url}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ method: 'notifications/tools/list_changed' }),
  });
  if (response.status !== 202) throw new Error(`the publisher answered ${response.status}: ${await response.text()}`);
}
