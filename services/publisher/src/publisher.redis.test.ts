import { openBroker } from '@listen-gateway/broker-redis';
import { systemClock } from '@listen-gateway/service-kit';
import { eventually, INSTALL_MS, numberedUris, openRedisProcess, type RedisProcess } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problem, resource, TestPublisher, TOOLS } from '../test/test-publisher.ts';

let redis: RedisProcess;
let lab: TestPublisher;

beforeAll(async () => {
  redis = await openRedisProcess();
}, INSTALL_MS);
afterAll(() => redis.close());

beforeEach(async () => {
  lab = await new TestPublisher(
    openBroker({ url: redis.url, clock: systemClock, journal: { length: 10_000, ageMs: 60_000 } }),
  ).start();
  await eventually(5_000, 'the broker', () => lab.publisher.readiness().ready);
  await lab.listen();
});
afterEach(() => lab.close());

const changes = numberedUris(1, 1_000).map(resource);

describe('a publisher over Redis', () => {
  it('hands a batch to the instances in order, once for each key', async () => {
    const key = { 'Idempotency-Key': 'one' };
    const first = await lab.post({ changes }, key);
    expect(first.status).toBe(202);
    expect(first.json.receipts).toHaveLength(1_000);
    expect(first.json.receipts[999]).toEqual({ journalId: expect.stringMatching(/^\d+-\d+$/), instances: 1 });
    expect(await lab.post({ changes }, key)).toMatchObject({ status: 202, json: first.json });
    expect(await lab.post(TOOLS, key)).toMatchObject(problem(422, 'idempotency-key-reused'));
    await lab.post(resource('last'));
    await lab.listener.until(5_000, 'the last change', ({ uris }) => uris.at(-1) === 'last');
    expect(lab.listener.uris).toEqual([...numberedUris(1, 1_000), 'last']);
  });

  it('answers 503 within 2 s while Redis is stopped, and delivers nothing of it later (FIELD E12)', async () => {
    await redis.stop();
    for (let attempt = 1; attempt <= 5; attempt += 1) await refusedInTime(resource(`parked-${attempt}`));
    expect(lab.publisher.readiness()).toEqual({ ready: false, reasons: [expect.stringMatching(/^broker: Redis /)] });
    await redis.start();
    await recovered();
    expect((await lab.post(resource('after'))).status).toBe(202);
    await lab.listener.until(5_000, 'the change after', ({ uris }) => uris.includes('after'));
    expect(lab.listener.uris).toEqual(['after']);
  });

  // What Redis had been sent when it froze it carries out once it wakes; the key is what makes a retry safe then.
  it('answers 503 within 2 s while Redis is frozen, and a retry with the key publishes once (FIELD E12)', async () => {
    const key = { 'Idempotency-Key': 'frozen' };
    redis.pause();
    await refusedInTime(resource('sent'), key);
    for (let attempt = 1; attempt <= 4; attempt += 1) await refusedInTime(resource(`parked-${attempt}`));
    redis.resume();
    await recovered();
    expect((await lab.post(resource('sent'), key)).status).toBe(202);
    expect((await lab.post(resource('after'))).status).toBe(202);
    await lab.listener.until(5_000, 'the change after', ({ uris }) => uris.includes('after'));
    expect(lab.listener.uris).toEqual(['sent', 'after']);
  });
});

async function refusedInTime(change: unknown, headers: Record<string, string> = {}): Promise<void> {
  const startedAt = performance.now();
  const answer = await lab.post(change, headers);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(answer).toMatchObject(problem(503, 'broker-unavailable'));
  expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/);
}

async function recovered(): Promise<void> {
  await eventually(15_000, 'the publisher to recover', () => lab.publisher.readiness().ready);
}
