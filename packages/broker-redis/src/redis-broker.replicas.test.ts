import {
  freshServerId,
  INSTALL_MS,
  numbered,
  numberedUris,
  openRedisProcess,
  openRedisReplica,
  RecordingListener,
  type RedisProcess,
  within,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishNumbered, untilHeard, untilReady } from '../test/test-brokers.ts';
import { RedisBroker } from './redis-broker.ts';

let master: RedisProcess;
let replica: RedisProcess;
let broker: RedisBroker;
let other: RedisBroker;

beforeEach(async () => {
  master = await openRedisProcess();
  replica = await openRedisReplica(master);
  [broker, other] = [1, 2].map(() => new RedisBroker({ url: master.url, minReplicas: 1 })) as [
    RedisBroker,
    RedisBroker,
  ];
  await Promise.all([broker, other].map(untilReady));
}, INSTALL_MS);

afterEach(async () => {
  await Promise.all([broker, other].map((one) => one.close()));
  await replica.close();
  await master.close();
});

const unavailable = { name: 'BrokerError', code: 'BROKER_UNAVAILABLE' };

describe('the redis broker, told to wait for replicas', () => {
  it('accepts what a replica has, many publishes at once', async () => {
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await Promise.all(numberedUris(1, 200).map((_, index) => broker.publish(serverId, [numbered(index + 1)])));
    expect(await replica.cli('XLEN', `lg:1:{${serverId}}:journal`)).toBe(200);
    await untilHeard(listener, 200);
    expect(listener.uris).toEqual(numberedUris(1, 200));
  });

  it('refuses in time what no replica confirms, also under its key again, and goes on catching up meanwhile', async () => {
    const serverId = freshServerId();
    await publishNumbered(broker, serverId, 1);
    replica.pause();
    const idempotency = { key: 'k', fingerprint: 'f' };
    const refused = within(2_000, 'the refusal', broker.publish(serverId, [numbered(2)], idempotency));
    const attached = within(1_000, 'an attach meanwhile', broker.attach(serverId, new RecordingListener()));
    await attached;
    await expect(refused).rejects.toMatchObject(unavailable);
    // The key is known by now, and yet no replica has what is under it.
    const again = within(2_000, 'the refusal', other.publish(serverId, [numbered(2)], idempotency));
    await expect(again).rejects.toMatchObject(unavailable);
    replica.resume();
    await untilReady(broker);
    expect(await broker.publish(serverId, [numbered(2)], idempotency)).toMatchObject({ kind: 'replayed' });
    expect(await replica.cli('XLEN', `lg:1:{${serverId}}:journal`)).toBe(2);
  });

  it('refuses everything once the replica is gone', async () => {
    await replica.kill();
    const publish = within(2_000, 'the refusal', broker.publish(freshServerId(), [numbered(1)]));
    await expect(publish).rejects.toMatchObject({
      ...unavailable,
      cause: { message: '0 of at least 1 replicas confirmed in time' },
    });
    expect(broker.status()).toEqual({ ready: true });
  });
});
