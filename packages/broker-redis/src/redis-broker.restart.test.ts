import {
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedisProcess,
  RecordingListener,
  type RedisProcess,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, publishNumbered, TestBrokers, untilDown, untilHeard, untilReady } from '../test/test-brokers.ts';

let redis: RedisProcess;
let brokers: TestBrokers;

beforeEach(async () => {
  redis = await openRedisProcess();
  brokers = await TestBrokers.on(redis);
}, INSTALL_MS);

afterEach(async () => {
  await brokers.close();
  await redis.close();
});

describe('the redis broker, after a restart of Redis', () => {
  // An append-only file may lack the last second, and what no instance here had seen of it would leave no trace.
  it('delivers what it missed and reports a gap all the same, although the data was kept', async () => {
    const [instance, publisher] = [brokers.instance(), brokers.publisher()];
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(publisher, serverId, 1, 2);
    await untilHeard(listener, 2);
    brokers.relay.cut();
    await publishNumbered(publisher, serverId, 3, 4);
    await redis.restart({ keepData: true });
    await untilReady(publisher);
    await publishNumbered(publisher, serverId, 5, 6);
    brokers.relay.restore();
    await untilHeard(listener, 6);
    expect(listener.heard.filter((item) => item !== 'gap')).toEqual([1, 2, 3, 4, 5, 6].map(numbered));
    expect(listener.heard[2]).toBe('gap');
  });

  it.each([
    ['something', 1],
    ['nothing', 0],
  ])('reports a gap if the data was lost and %s had been published', async (_, before) => {
    const [instance, publisher] = [brokers.instance(), brokers.publisher()];
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await untilReady(publisher);
    for (let n = 1; n <= before; n += 1) await publishNumbered(publisher, serverId, n);
    brokers.relay.cut();
    await publishNumbered(publisher, serverId, 2);
    await redis.restart({ keepData: false });
    brokers.relay.restore();
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    await untilReady(publisher);
    await publishNumbered(publisher, serverId, 3);
    await untilHeard(listener, 3);
    expect(listener.heard.slice(-2)).toEqual(['gap', numbered(3)]);
  });

  it('reports a gap if everything was flushed meanwhile', async () => {
    const [instance, publisher] = [brokers.instance(), brokers.publisher()];
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await publishNumbered(publisher, serverId, 1);
    await untilHeard(listener, 1);
    brokers.relay.cut();
    await untilDown(instance);
    await redis.cli('FLUSHALL');
    brokers.relay.restore();
    await listener.until(ARRIVAL_MS, 'the gap', ({ gaps }) => gaps > 0);
    await publishNumbered(publisher, serverId, 2);
    await untilHeard(listener, 2);
    expect(listener.heard).toEqual([numbered(1), 'gap', numbered(2)]);
  });

  it('publishes although Redis forgot the scripts', async () => {
    const broker = brokers.publisher();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await publishNumbered(broker, serverId, 1);
    await redis.cli('SCRIPT', 'FLUSH');
    await publishNumbered(broker, serverId, 2);
    await untilHeard(listener, 2);
  });
});
