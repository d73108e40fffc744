import { openRedisProcess, type RedisProcess, type ServiceProcess, startService } from '@listen-gateway/testkit';

/** One instance and what stands behind it, each a real process: a publisher and a Redis. */
export interface BackedInstance {
  readonly gateway: ServiceProcess;
  readonly redis: RedisProcess;
  /** Publishes to the server `default`, as a backend does; fails where that is refused. */
  publish(...changes: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts an instance with this environment of its own. */
export async function openBackedInstance(env: Readonly<Record<string, string>> = {}): Promise<BackedInstance> {
  const redis = await openRedisProcess();
  const [gateway, publisher] = await Promise.all([
    startService('gateway', { ...env, LG_BROKER__URL: redis.url }),
    startService('publisher', { LG_BROKER__URL: redis.url }),
  ]);
  return {
    gateway,
    redis,
    publish: async (...changes) => {
      const response = await fetch(`${publisher.url}/v1/servers/default/changes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ changes }),
      });
      if (response.status !== 202)
        throw new Error(`the publisher answered ${response.status}: ${await response.text()}`);
    },
    close: async () => {
      await Promise.all([gateway.kill(), publisher.kill()]);
      await redis.close();
    },
  };
}
