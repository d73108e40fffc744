import { eventually, INSTALL_MS, openRedis, type Redis } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVAL_MS, TestBrokers, untilReady } from '../test/test-brokers.ts';

let redis: Redis;
let brokers: TestBrokers;

beforeAll(async () => {
  redis = await openRedis();
}, INSTALL_MS);

afterAll(() => redis.close());

beforeEach(async () => {
  brokers = await TestBrokers.on(redis);
});

afterEach(() => brokers.close());

describe('the probe of the receive path', () => {
  it('says of each round how long it took, and nothing of one that did not come back', async () => {
    const rounds: number[] = [];
    let isLost = false;
    const observer = {
      probed: (tookMs: number) => rounds.push(tookMs),
      disconnected: () => {
        isLost = true;
      },
    };
    const openedAt = performance.now();
    const instance = brokers.instance({ probeMs: 50, observer });
    await untilReady(instance);
    await eventually(ARRIVAL_MS, 'three rounds', () => rounds.length >= 3);
    brokers.relay.freeze();
    const before = rounds.length;
    await eventually(ARRIVAL_MS, 'the probe that is lost to be noticed', () => isLost);
    // One may have been on its way back.
    expect(rounds.length).toBeLessThanOrEqual(before + 1);
    const openMs = performance.now() - openedAt;
    for (const tookMs of rounds) {
      expect(tookMs).toBeGreaterThan(0);
      expect(tookMs).toBeLessThan(openMs);
    }
  });
});
