import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RedisBroker } from '@listen-gateway/broker-redis';
import type { ServerId } from '@listen-gateway/protocol';
import {
  eventually,
  INSTALL_MS,
  openRedisProcess,
  type RedisProcess,
  redisClients,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Departure } from './departing-hosts.ts';
import { depart } from './departures.ts';
import type { Remains } from './witness.ts';

const SERVERS = Array.from({ length: 10 }, (_, index) => `server-${index}` as ServerId);
const OPENED = 10_000;
/** Hosts of one process, which come and leave while those of the others do. */
const DEPARTURES: readonly (readonly [Departure, number])[] = [
  ['FIN', 2_500],
  ['RST', 2_500],
  ['half-close', 2_500],
];
const KILLED_AT_ONCE = 500;
const KIBIBYTE = 1_024;

let redis: RedisProcess;
let gateway: ServiceProcess;
let broker: RedisBroker;
let publishing: NodeJS.Timeout;

beforeAll(async () => {
  redis = await openRedisProcess();
  gateway = await startService('gateway', {
    LG_BROKER__URL: redis.url,
    LG_BROKER__LINGER_MS: '200',
    LG_SERVERS: JSON.stringify(Object.fromEntries(SERVERS.map((server) => [server, {}]))),
    LG_LOG__LEVEL: 'warn',
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'witness.ts'))}`,
  });
  broker = new RedisBroker({ url: redis.url, name: 'backend' });
  let turn = 0;
  publishing = setInterval(() => {
    turn += 1;
    broker.publish(SERVERS[turn % SERVERS.length]!, [{ kind: 'tools' }]).catch(() => {});
  }, 10);
}, INSTALL_MS);

afterAll(async () => {
  clearInterval(publishing);
  await broker?.close();
  await gateway?.kill();
  await redis?.close();
});

const channels = async () => ((await redis.cli('PUBSUB', 'CHANNELS', '*:changes')) as unknown[]).length;
const connections = async () => (await redisClients(redis, 'listen-gateway')).length;

/** What the instance has left, its garbage collected. */
async function remains(): Promise<Remains> {
  const told = () => [...gateway.output.matchAll(/^remains (.*)$/gm)];
  const before = told().length;
  gateway.signal('SIGUSR2');
  await eventually(60_000, 'the instance to tell what is left', () => told().length > before);
  return JSON.parse(told().at(-1)?.[1] ?? '{}');
}

async function round(name: string): Promise<Remains> {
  const to = { port: gateway.port, servers: SERVERS };
  const killed = async () => {
    const others = DEPARTURES.reduce((sum, [, streams]) => sum + streams, 0);
    for (let done = others; done < OPENED; done += KILLED_AT_ONCE) {
      await depart({ ...to, streams: KILLED_AT_ONCE, departure: 'kill -9', name: `${name}-${done}` });
    }
  };
  const leaving = DEPARTURES.map(([departure, streams]) =>
    depart({ ...to, streams, departure, name: `${name}-${departure}` }),
  );
  await Promise.all([...leaving, killed()]);
  await eventually(10_000, 'no open stream', async () => (await gateway.metric('lg_streams_open')) === 0);
  await eventually(10_000, 'the channels to be left', async () => (await channels()) === 0);
  return remains();
}

describe('an instance that 10,000 hosts have left by FIN, RST, half-close and kill -9 while changes flow', () => {
  it('has nothing of them left, and no more memory in use after 10,000 others (INS-01, SUB-09, FIELD C13, C38, F13)', async () => {
    const before = { ...(await remains()), connections: await connections() };
    const first = await round('first');
    const second = await round('second');
    expect(await gateway.metric('lg_streams_opened_total')).toBe(2 * OPENED);
    expect(await gateway.metric('lg_streams_closed_total{reason="host-gone"}')).toBe(2 * OPENED);
    expect(await connections()).toBe(before.connections);
    // The metrics are read over one that is kept, or made anew.
    expect(second.sockets).toBeLessThanOrEqual(before.sockets + 1);
    expect(second.bytes - first.bytes, 'half a kibibyte for each stream').toBeLessThan((OPENED * KIBIBYTE) / 2);
    expect(gateway.output, 'of listeners, unhandled rejections and the like').not.toContain('Warning');
    expect(gateway.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  }, 180_000);
});
