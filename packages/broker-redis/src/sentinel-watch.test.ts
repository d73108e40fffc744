import {
  eventually,
  INSTALL_MS,
  openRedisProcess,
  openTcpRelay,
  type RedisProcess,
  redisClients,
  type TcpRelay,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS } from '../test/test-brokers.ts';
import { redisSettings } from './redis-options.ts';
import { type MasterSwitch, SentinelWatch } from './sentinel-watch.ts';

/** A sentinel, as far as listening to it goes. */
let sentinel: RedisProcess;
let relay: TcpRelay;
let watch: SentinelWatch;
let switches: MasterSwitch[];

beforeAll(async () => {
  sentinel = await openRedisProcess();
}, INSTALL_MS);

afterAll(() => sentinel.close());

beforeEach(async () => {
  relay = await openTcpRelay(sentinel.url);
  switches = [];
  const nodes = [new URL(relay.url).host];
  const settings = redisSettings({ url: 'redis://acme', mode: 'sentinel', nodes, probeMs: 100 });
  watch = new SentinelWatch(settings, (change) => switches.push(change));
  await listening();
});

afterEach(async () => {
  watch.close();
  await relay.close();
});

const tell = (text: string) => sentinel.cli('PUBLISH', '+switch-master', text);
const listening = () => eventually(ARRIVAL_MS, 'the subscription', async () => (await tell('other a 1 b 2')) === 1);

describe('a watch over sentinels', () => {
  it('tells who was the master and who is, of its own master alone', async () => {
    await tell('other 10.0.0.1 6379 10.0.0.2 6379');
    await tell('acme redis-1.example 6379 fd00::2 6380');
    await eventually(ARRIVAL_MS, 'the change', () => switches.length > 0);
    expect(switches).toEqual([{ from: 'redis-1.example:6379', to: { host: 'fd00::2', port: 6380 } }]);
  });

  it('listens anew where its connection passes nothing on any more, and nobody says so', async () => {
    const [before] = await redisClients(sentinel, 'listen-gateway:sentinel');
    relay.freeze();
    await eventually(ARRIVAL_MS, 'another connection', async () => {
      const clients = await redisClients(sentinel, 'listen-gateway:sentinel');
      return clients.some(({ id }) => id !== before?.id);
    });
    await eventually(ARRIVAL_MS, 'the change', async () => {
      await tell('acme 10.0.0.1 6379 10.0.0.2 6379');
      return switches.length > 0;
    });
  });
});
