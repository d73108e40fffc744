import type { ServerId } from '@listen-gateway/protocol';
import {
  eventually,
  freshServerId,
  INSTALL_MS,
  numbered,
  numberedUris,
  openRedisCluster,
  openTcpRelay,
  RecordingListener,
  type RedisCluster,
  type RedisClusterOptions,
  redisClients,
  type TcpRelay,
} from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hammer } from '../test/hammer.ts';
import { ARRIVAL_MS, publishNumbered, untilHeard, untilReady } from '../test/test-brokers.ts';
import { RedisBroker } from './redis-broker.ts';
import { DEFAULT_PREFIX, redisKeys } from './redis-keys.ts';

const NAME = 'cluster-fault';

let cluster: RedisCluster;
let brokers: RedisBroker[];
let hammer: Hammer;
let channel: string;

async function setUp(options: RedisClusterOptions): Promise<void> {
  cluster = await openRedisCluster(options);
  const [url, ...nodes] = cluster.addresses;
  brokers = [1, 2].map(() => new RedisBroker({ url: `redis://${url}`, nodes, mode: 'cluster', name: NAME }));
  await Promise.all(brokers.map(untilReady));
  const serverId = freshServerId();
  channel = redisKeys(DEFAULT_PREFIX, serverId).channel;
  hammer = new Hammer(brokers[0]!, serverId);
  await brokers[1]!.attach(serverId, hammer);
  hammer.start();
  await hammer.beats(20);
}

afterEach(async () => {
  await Promise.all(brokers.map((broker) => broker.close()));
  await cluster.close();
});

describe('the redis broker, when slots of a cluster change hands in good order', { timeout: 40_000 }, () => {
  // A node that the machine gives no time for a while is no failed one here.
  beforeEach(() => setUp({ replicas: 1, nodeTimeoutMs: 3_000 }), INSTALL_MS);

  it('loses and repeats nothing, in order, while a slot moves from master to master', async () => {
    const home = await cluster.masterOf(channel);
    for (let move = 0; move < 6; move += 1) {
      await cluster.moveSlot(channel, move % 2 === 0 ? await cluster.masterBeside(channel) : home);
      await hammer.beats(50);
    }
    await hammer.stop();
    expect(hammer.heard).toEqual(Array.from({ length: hammer.accepted.length }, (_, index) => index + 1));
  });

  it('loses and repeats nothing, in order, while a replica takes over from its master', async () => {
    const master = await cluster.masterOf(channel);
    const [replica] = await cluster.replicasOf(master);
    await replica?.cli('CLUSTER', 'FAILOVER');
    await cluster.failedOver(channel, master);
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.heard).toEqual(Array.from({ length: hammer.accepted.length }, (_, index) => index + 1));
    await Promise.all(brokers.map(untilReady));
  });
});

describe('the redis broker, when masters of a cluster fail', { timeout: 40_000 }, () => {
  beforeEach(() => setUp({ replicas: 1 }), INSTALL_MS);

  it('signals every accepted change or reports a gap after a master was killed (FIELD E7)', async () => {
    const master = await cluster.masterOf(channel);
    await master.kill();
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.lost).toEqual([]);
    expect(hammer.gaps).toBeGreaterThan(0);
    expect(hammer.slowestRefusalMs).toBeLessThan(2_000);
    await Promise.all(brokers.map(untilReady));
  });

  it('does so too after a master was frozen, and when it wakes', async () => {
    const master = await cluster.masterOf(channel);
    master.pause();
    await cluster.failedOver(channel, master);
    await hammer.beats(100);
    master.resume();
    await hammer.beats(100);
    await hammer.stop();
    expect(hammer.lost).toEqual([]);
    await Promise.all(brokers.map(untilReady));
    await eventually(ARRIVAL_MS, 'two connections of each broker to each of three masters (FIELD E19)', async () => {
      const connections = await Promise.all(cluster.nodes.map((node) => redisClients(node, NAME)));
      return connections.flat().length === brokers.length * 3 * 2;
    });
    expect(await redisClients(master, NAME)).toEqual([]);
  });
});

describe('the redis broker, when connections to masters of a cluster go dead', { timeout: 40_000 }, () => {
  const relays: TcpRelay[] = [];
  let servers: ServerId[];

  beforeEach(async () => {
    cluster = await openRedisCluster();
    servers = await oneServerForEachMaster();
    for (const node of cluster.nodes) {
      const relay = await openTcpRelay(node.url);
      relays.push(relay);
      await node.cli('CONFIG', 'SET', 'cluster-announce-port', new URL(relay.url).port);
    }
    const ports = relays.map(({ url }) => new URL(url).port);
    await eventually(ARRIVAL_MS, 'every node to send clients to the relays', async () => {
      const tables = await Promise.all(cluster.nodes.map((node) => node.cli('CLUSTER', 'NODES')));
      return tables.every((table) => ports.every((port) => String(table).includes(`:${port}@`)));
    });
    brokers = [];
  }, INSTALL_MS);

  afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.close())));

  it('replaces each of them although nobody says so (FIELD E1)', async () => {
    const open = async () => {
      const broker = new RedisBroker({ url: `redis://${cluster.addresses[0]}`, mode: 'cluster', probeMs: 100 });
      brokers.push(broker);
      await untilReady(broker);
      return broker;
    };
    const instance = await open();
    const listeners = servers.map(() => new RecordingListener());
    for (const [index, serverId] of servers.entries()) await instance.attach(serverId, listeners[index]!);
    for (const relay of relays) relay.freeze();
    const publisher = await open();
    for (const serverId of servers) await publishNumbered(publisher, serverId, 1, 2);
    for (const listener of listeners) {
      await untilHeard(listener, 2);
      expect(listener.heard).toEqual([numbered(1), numbered(2)]);
      expect(listener.uris).toEqual(numberedUris(1, 2));
    }
  });
});

async function oneServerForEachMaster(): Promise<ServerId[]> {
  const servers = new Map<unknown, ServerId>();
  while (servers.size < cluster.nodes.length) {
    const serverId = freshServerId();
    servers.set(await cluster.masterOf(redisKeys(DEFAULT_PREFIX, serverId).channel), serverId);
  }
  return [...servers.values()];
}
