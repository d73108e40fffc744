import { startSampleServer } from '@listen-gateway/service-sample-server';
import { freshServerId, openNginx, openRedis, startService } from '@listen-gateway/testkit';

/** The sample server as the upstream of two instances; Redis, publisher and instances are processes of their own. */
export interface Composition {
  /** The endpoint of one instance, which answers listens and forwards the rest. */
  readonly gatewayUrl: string;
  /** Both instances behind nginx: listens go to the first, everything else to the second. */
  readonly apartUrl: string;
  /** The other way to deploy: nginx sends the listens to the gateway and the rest to the server itself. */
  readonly routedUrl: string;
  close(): Promise<void>;
}

/** Starts the sample server, the publisher it publishes to, Redis, two instances, and nginx in front. */
export async function openComposition(): Promise<Composition> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const redis = await openRedis();
    stops.push(() => redis.close());
    const serverId = freshServerId();
    const broker = { LG_BROKER__URL: redis.url };
    const publisher = await startService('publisher', { ...broker, LG_SERVERS: JSON.stringify({ [serverId]: {} }) });
    stops.push(() => publisher.kill());
    const sample = await startSampleServer({ host: '127.0.0.1', port: 0, serverId, publisherUrl: publisher.url });
    stops.push(() => sample.close());
    const servers = JSON.stringify({ [serverId]: { upstream: { url: sample.url } } });
    const openInstance = async () => {
      const gateway = await startService('gateway', { ...broker, LG_SERVERS: servers });
      stops.push(() => gateway.kill());
      return `${gateway.url}/mcp/${serverId}`;
    };
    const [gatewayUrl, otherUrl] = [await openInstance(), await openInstance()];
    const apart = await openNginx((port) => routeOnMethod(port, { listens: gatewayUrl, rest: otherUrl }));
    stops.push(() => apart.close());
    const routed = await openNginx((port) =>
      routeOnMethod(port, { listens: gatewayUrl, discover: gatewayUrl, rest: sample.url }),
    );
    stops.push(() => routed.close());
    return { gatewayUrl, apartUrl: `${apart.url}/mcp`, routedUrl: `${routed.url}/mcp`, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

interface Targets {
  readonly listens: string;
  readonly discover?: string;
  readonly rest: string;
}

function routeOnMethod(port: number, { listens, discover, rest }: Targets): string {
  return `
  map $http_mcp_method $target {
    subscriptions/listen ${listens};
    server/discover      ${discover ?? rest};
    default              ${rest};
  }
  server {
    listen 127.0.0.1:${port};
    location = /mcp {
      proxy_pass $target;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_read_timeout 300s;
    }
  }`;
}
