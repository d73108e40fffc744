import {
  type NginxProcess,
  openNginx,
  openRedisProcess,
  openTcpRelay,
  type RedisProcess,
  type ServiceProcess,
  startService,
  type TcpRelay,
} from '@listen-gateway/testkit';
import { loadBalancer } from '../deploy/load-balancer.ts';

/** What an operator runs: two instances behind nginx, a publisher, a Redis; each a real process. */
export interface Fleet {
  readonly redis: RedisProcess;
  readonly publisher: ServiceProcess;
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
  /** The way of each instance to Redis, for a test to cut. */
  readonly relays: readonly [TcpRelay, TcpRelay];
  readonly nginx: NginxProcess;
  /** Where hosts connect. */
  readonly url: string;
  /** Publishes to the server `default`, as a backend does; resolves with the parsed answer. */
  publish(...changes: readonly object[]): Promise<PublishAnswer>;
  close(): Promise<void>;
}

export interface PublishAnswer {
  readonly status: number;
  readonly receipts: readonly { readonly journalId: string; readonly instances: number }[];
}

export async function openFleet(env: Readonly<Record<string, string>> = {}): Promise<Fleet> {
  const redis = await openRedisProcess();
  const relays = [await openTcpRelay(redis.url), await openTcpRelay(redis.url)] as const;
  const [publisher, first, second] = await Promise.all([
    startService('publisher', { ...env, LG_BROKER__URL: redis.url }),
    startService('gateway', { ...env, LG_BROKER__URL: relays[0].url }),
    startService('gateway', { ...env, LG_BROKER__URL: relays[1].url }),
  ]);
  const nginx = await openNginx((port) => loadBalancer(port, [first.port, second.port]));
  return {
    redis,
    publisher,
    gateways: [first, second],
    relays,
    nginx,
    url: `${nginx.url}/mcp`,
    publish: (...changes) => publish(publisher, changes),
    close: async () => {
      await nginx.close();
      await Promise.all([first.kill(), second.kill(), publisher.kill()]);
      await Promise.all(relays.map((relay) => relay.close()));
      await redis.close();
    },
  };
}

async function publish(publisher: ServiceProcess, changes: readonly object[]): Promise<PublishAnswer> {
  const response = await fetch(`${publisher.url}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes }),
  });
  const { receipts = [] } = (await response.json()) as Partial<PublishAnswer>;
  return { status: response.status, receipts };
}
