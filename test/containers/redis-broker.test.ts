import { setTimeout as pause } from 'node:timers/promises';
import { RedisBroker } from '@listen-gateway/broker-redis';
import type { Broker } from '@listen-gateway/core';
import { eventually, freshServerId, numbered, numberedUris, RecordingListener } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTAINER_START_MS, type RedisContainer, startRedisContainer } from './redis-container.ts';

const RECOVERY_MS = 15_000;
const SERVERS = 5;

/** Publishes numbered changes to a few servers until stopped; each change until it is taken, under a key of its own. */
class Traffic {
  readonly servers = Array.from({ length: SERVERS }, () => ({
    id: freshServerId(),
    listener: new RecordingListener(),
  }));
  readonly #publisher: Broker;
  #stopped = false;
  #running: Promise<number> | undefined;
  refused = 0;
  taken = 0;

  constructor(publisher: Broker) {
    this.#publisher = publisher;
  }

  async attach(instance: Broker): Promise<void> {
    await Promise.all(this.servers.map(({ id, listener }) => instance.attach(id, listener)));
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves with the number of the last change. */
  async stop(): Promise<number> {
    this.#stopped = true;
    return (await this.#running) ?? 0;
  }

  async #run(): Promise<number> {
    let last = 0;
    while (!this.#stopped) {
      last += 1;
      const n = last;
      await Promise.all(this.servers.map(({ id }) => this.#publish(id, n)));
      await pause(10);
    }
    return last;
  }

  async #publish(serverId: (typeof this.servers)[number]['id'], n: number): Promise<void> {
    const idempotency = { key: String(n), fingerprint: String(n) };
    for (;;) {
      try {
        await this.#publisher.publish(serverId, [numbered(n)], idempotency);
        this.taken += 1;
        return;
      } catch {
        this.refused += 1;
        await pause(100);
      }
    }
  }
}

describe('the redis broker, over a container', () => {
  let redis: RedisContainer;
  let instance: RedisBroker;
  let publisher: RedisBroker;

  beforeEach(async () => {
    redis = await startRedisContainer();
    instance = new RedisBroker({ url: redis.url });
    publisher = new RedisBroker({ url: redis.url });
    await eventually(RECOVERY_MS, 'both brokers to be ready', () => bothReady());
  }, CONTAINER_START_MS);

  afterEach(async () => {
    await Promise.all([instance?.close(), publisher?.close()]);
    await redis?.remove();
  }, CONTAINER_START_MS);

  const bothReady = () => instance.status().ready && publisher.status().ready;

  it.each<[name: string, gaps: boolean, act: (redis: RedisContainer) => Promise<void>]>([
    // Redis does not say whether a restart kept everything.
    ['is restarted', true, (container) => container.restart()],
    [
      'is paused for longer than a publish may take',
      false,
      async (container) => {
        await container.pause();
        await pause(4_000);
        await container.unpause();
      },
    ],
    [
      'is stopped and started again',
      true,
      async (container) => {
        await container.stop();
        await pause(2_000);
        await container.start();
      },
    ],
  ])('loses and repeats nothing when the container %s (FIELD E1)', { timeout: 90_000 }, async (_, gaps, act) => {
    const traffic = new Traffic(publisher);
    await traffic.attach(instance);
    traffic.start();
    await eventually(RECOVERY_MS, 'traffic before', () => traffic.taken > 10 * SERVERS);
    await act(redis);
    await eventually(RECOVERY_MS, 'both brokers to recover', bothReady);
    const takenByThen = traffic.taken;
    await eventually(RECOVERY_MS, 'traffic after', () => traffic.taken > takenByThen + 10 * SERVERS);
    const last = await traffic.stop();
    expect(traffic.refused).toBeGreaterThan(0);
    for (const { listener } of traffic.servers) {
      await listener.until(RECOVERY_MS, `change ${last}`, ({ uris }) => uris.includes(numbered(last).uri));
      expect(listener.uris).toEqual(numberedUris(1, last));
      expect(listener.gaps > 0).toBe(gaps);
    }
  });
});
