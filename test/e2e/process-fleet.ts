import { startSampleServer } from '@listen-gateway/service-sample-server';
import {
  freePort,
  type NginxProcess,
  openNginx,
  openRedisProcess,
  openTcpRelay,
  type RedisProcess,
  type ServiceAddress,
  type ServiceProcess,
  startService,
  type TcpRelay,
} from '@listen-gateway/testkit';
import { loadBalancer } from '../deploy/load-balancer.ts';
import { type Fleet, type FleetInstance, publishAt } from './fleet.ts';

/** A fleet of which each part is a process of this machine. */
export interface ProcessFleet extends Fleet {
  readonly redis: RedisProcess;
  readonly publisher: ServiceProcess;
  /** The processes of now: a restart makes another. */
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
  /** The way of each instance to Redis, for a test to cut. */
  readonly relays: readonly [TcpRelay, TcpRelay];
  readonly nginx: NginxProcess;
  close(): Promise<void>;
}

export interface ProcessFleetOptions {
  /** For publisher and gateways alike. */
  readonly env?: Readonly<Record<string, string>>;
  /** Puts the sample server behind the server `default`, as `docker compose up` does. */
  readonly sample?: true;
}

export async function openFleet({ env = {}, sample }: ProcessFleetOptions = {}): Promise<ProcessFleet> {
  const redis = await openRedisProcess();
  const relays = [await openTcpRelay(redis.url), await openTcpRelay(redis.url)] as const;
  const samplePort = await freePort();
  const servers = { default: { upstream: { url: `http://127.0.0.1:${samplePort}/mcp` } } };
  const all = { ...(sample && { LG_SERVERS: JSON.stringify(servers) }), ...env };
  const [publisher, first, second] = await Promise.all([
    startService('publisher', { ...all, LG_BROKER__URL: redis.url }),
    ProcessInstance.start({ ...all, LG_BROKER__URL: relays[0].url }),
    ProcessInstance.start({ ...all, LG_BROKER__URL: relays[1].url }),
  ]);
  const server = sample && (await startSample(samplePort, publisher.url));
  const nginx = await openNginx((port) => loadBalancer(port, [first.process.port, second.process.port]));
  return {
    redis,
    publisher,
    get gateways() {
      return [first.process, second.process] as const;
    },
    instances: [first, second],
    relays,
    nginx,
    url: `${nginx.url}/mcp`,
    publish: (...changes) => publishAt(publisher.url, changes),
    restartRedis: () => redis.restart({ keepData: false }),
    close: async () => {
      await nginx.close();
      await Promise.all([first.process.kill(), second.process.kill(), publisher.kill()]);
      await server?.close();
      await Promise.all(relays.map((relay) => relay.close()));
      await redis.close();
    },
  };
}

function startSample(port: number, publisherUrl: string) {
  return startSampleServer({ host: '127.0.0.1', port, serverId: 'default', publisherUrl });
}

/** An instance that stays where it is over a restart. */
class ProcessInstance implements FleetInstance {
  readonly #env: Readonly<Record<string, string>>;
  readonly #address: ServiceAddress;
  process: ServiceProcess;

  private constructor(env: Readonly<Record<string, string>>, address: ServiceAddress, process: ServiceProcess) {
    this.#env = env;
    this.#address = address;
    this.process = process;
  }

  static async start(env: Readonly<Record<string, string>>): Promise<ProcessInstance> {
    const address = { host: '127.0.0.1', port: await freePort(), adminPort: await freePort() };
    return new ProcessInstance(env, address, await startService('gateway', env, address));
  }

  streams(): Promise<number> {
    return this.process.metric('lg_streams_open');
  }

  async restart(): Promise<number | string> {
    this.process.signal('SIGTERM');
    const exit = await this.process.ended();
    this.process = await startService('gateway', this.#env, this.#address);
    return exit;
  }
}
