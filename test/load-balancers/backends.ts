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
  const [redis, certificate] = [await openRedisProcess(), await makeFrontCertificate()];
  const [port, adminPort] = [await freePort(), await freePort()];
  const server = await openRecordingServer(await freePort());
  const servers = JSON.stringify({ default: { upstream: { url: `http://127.0.0.1:${server.port}/mcp` } } });
  const settings = { LG_BROKER__URL: redis.url, LG_SERVERS: servers };
  const [publisher, first, second] = await Promise.all([
    startService('publisher', settings),
    startService('gateway', { ...settings, ...env }, { host: '127.0.0.1', port, adminPort }),
    startService('gateway', { ...settings, ...env }, { host: '127.0.0.2', port, adminPort }),
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
    close: async () => {
      await Promise.all([first.kill(), second.kill(), publisher.kill()]);
      await Promise.all([server.close(), redis.close(), certificate.close()]);
    },
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
