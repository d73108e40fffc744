import type { ServerId } from '@listen-gateway/protocol';
import {
  eventually,
  numbered,
  openTcpRelay,
  type RecordingListener,
  type Redis,
  type TcpRelay,
} from '@listen-gateway/testkit';
import { RedisBroker } from '../src/redis-broker.ts';
import type { RedisBrokerOptions } from '../src/redis-options.ts';

/** How long a test waits for what should come at once. */
export const ARRIVAL_MS = 5_000;

/** The brokers of one test, on one Redis. */
export class TestBrokers {
  readonly relay: TcpRelay;
  readonly #redis: Redis;
  readonly #opened: RedisBroker[] = [];

  constructor(redis: Redis, relay: TcpRelay) {
    this.#redis = redis;
    this.relay = relay;
  }

  static async on(redis: Redis): Promise<TestBrokers> {
    return new TestBrokers(redis, await openTcpRelay(redis.url));
  }

  /** One whose connections go by way of the relay, so that they can be broken. */
  instance(options: Partial<RedisBrokerOptions> = {}): RedisBroker {
    return this.#open({ url: this.relay.url, ...options });
  }

  /** One whose connections stay well as long as Redis does. */
  publisher(options: Partial<RedisBrokerOptions> = {}): RedisBroker {
    return this.#open({ url: this.#redis.url, ...options });
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((broker) => broker.close()));
    await this.relay.close();
  }

  #open(options: RedisBrokerOptions): RedisBroker {
    const broker = new RedisBroker(options);
    this.#opened.push(broker);
    return broker;
  }
}

export async function untilReady(broker: RedisBroker): Promise<void> {
  await eventually(ARRIVAL_MS, 'the broker to be ready', () => broker.status().ready);
}

export async function untilDown(broker: RedisBroker, ms = ARRIVAL_MS): Promise<void> {
  await eventually(ms, 'the broker to notice', () => !broker.status().ready);
}

/** Publishes the changes from `first` to `last`, 50 in a batch, once the broker is ready. */
export async function publishNumbered(
  broker: RedisBroker,
  serverId: ServerId,
  first: number,
  last = first,
): Promise<void> {
  await untilReady(broker);
  for (let n = first; n <= last; n += 50) {
    const length = Math.min(50, last - n + 1);
    await broker.publish(
      serverId,
      Array.from({ length }, (_, index) => numbered(n + index)),
    );
  }
}

export async function untilHeard(listener: RecordingListener, n: number): Promise<void> {
  await listener.until(ARRIVAL_MS, `change ${n}`, ({ uris }) => uris.includes(numbered(n).uri));
}
