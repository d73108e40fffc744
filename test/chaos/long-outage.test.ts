import { setTimeout as pause } from 'node:timers/promises';
import {
  INSTALL_MS,
  openListen,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Longer than a client of Redis goes on trying unless told otherwise, which is some 71 s. */
const OUTAGE_MS = 95_000;
/** In which a publish or a listen is answered, on a busy machine too. */
const ANSWER_MS = 3_000;

let redis: RedisProcess;
let gateway: ServiceProcess;
let publisher: ServiceProcess;

beforeAll(async () => {
  redis = await openRedisProcess();
  const env = { LG_BROKER__URL: redis.url };
  [gateway, publisher] = await Promise.all([startService('gateway', env), startService('publisher', env)]);
}, INSTALL_MS);

afterAll(async () => {
  await Promise.all([gateway?.kill(), publisher?.kill()]);
  await redis?.close();
});

interface Answered {
  readonly status: number;
  readonly tookMs: number;
}

async function publish(): Promise<Answered> {
  const startedAt = performance.now();
  const response = await fetch(`${publisher.url}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ method: 'notifications/tools/list_changed' }),
  });
  await response.arrayBuffer();
  return { status: response.status, tookMs: performance.now() - startedAt };
}

async function listen(): Promise<Answered> {
  const startedAt = performance.now();
  const { status, ended } = await openListen(`${gateway.url}/mcp`);
  await ended;
  return { status, tookMs: performance.now() - startedAt };
}

describe('services whose Redis is away for a minute and a half, with traffic', () => {
  it('refuse in time, keep their streams, deliver nothing late and recover (FIELD E5, E12)', async () => {
    const stream = await openListen(`${gateway.url}/mcp`);
    await stream.next('the acknowledgement');
    await redis.stop();

    const until = performance.now() + OUTAGE_MS;
    const answers: Promise<Answered>[] = [];
    while (performance.now() < until) {
      answers.push(publish(), listen());
      await pause(250);
    }
    for (const { status, tookMs } of await Promise.all(answers)) {
      expect(status).toBe(503);
      expect(tookMs).toBeLessThan(ANSWER_MS);
    }
    expect([await gateway.readiness(), await publisher.readiness()]).toEqual([503, 503]);

    await redis.start();
    await Promise.all([gateway.ready(10_000), publisher.ready(10_000)]);
    expect((await publish()).status).toBe(202);
    await stream.next('the change after');
    expect(await redis.cli('XLEN', 'lg:1:{default}:journal'), 'of more than 300 that were refused, none').toBe(1);
    expect(await gateway.metric('lg_streams_open')).toBe(1);
    for (const service of [gateway, publisher])
      expect(service.log.filter(({ level }) => level === 'fatal')).toEqual([]);
  }, 180_000);
});
