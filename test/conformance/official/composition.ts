import { type SampleServer, startSampleServer } from '@listen-gateway/service-sample-server';
import { freshServerId, openNginx, openRedis, startService } from '@listen-gateway/testkit';

/** The sample server with everything that tells its hosts of changes; each part but the first is a process of its own. */
export interface Composition {
  /** The endpoint of the gateway. */
  readonly gatewayUrl: string;
  /** One endpoint for both, behind a load balancer that routes on `Mcp-Method`. */
  readonly routedUrl: string;
  close(): Promise<void>;
}

/** Starts the sample server, the publisher it publishes to, Redis, the gateway, and nginx in front. */
export async function openComposition(): Promise<Composition> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const redis = await openRedis();
    stops.push(() => redis.close());
    const serverId = freshServerId();
    const env = { LG_BROKER__URL: redis.url, LG_SERVERS: JSON.stringify({ [serverId]: {} }) };
    const publisher = await startService('publisher', env);
    stops.push(() => publisher.kill());
    const gateway = await startService('gateway', env);
    stops.push(() => gateway.kill());
    const sample = await startSampleServer({ host: '127.0.0.1', port: 0, serverId, publisherUrl: publisher.url });
    stops.push(() => sample.close());
    const gatewayUrl = `${gateway.url}/mcp/${serverId}`;
    const nginx = await openNginx((port) => routeOnMethod(port, gatewayUrl, sample));
    stops.push(() => nginx.close());
    return { gatewayUrl, routedUrl: `${nginx.url}/mcp`, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** The gateway answers what concerns listening, discovery included since it announces it; the server all the rest. */
function routeOnMethod(port: number, gatewayUrl: string, sample: SampleServer): string {
  return `
  map $http_mcp_method $target {
    subscriptions/listen ${gatewayUrl};
    server/discover      ${gatewayUrl};
    default              ${sample.url};
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
