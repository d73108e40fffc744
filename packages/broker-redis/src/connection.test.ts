import { eventually, INSTALL_MS, openRedisProcess, type RedisProcess } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARRIVAL_MS } from '../test/test-brokers.ts';
import { Connection } from './connection.ts';
import type { Address } from './connection-options.ts';

let redis: RedisProcess;

beforeAll(async () => {
  redis = await openRedisProcess();
}, INSTALL_MS);

afterAll(() => redis.close());

describe('a connection', () => {
  it('is not up at a master that was replaced while it was being made, and is once that one is the right one', async () => {
    let instead: Address | undefined = { host: '127.0.0.1', port: 1 };
    const connection = new Connection('commands', { host: '127.0.0.1', port: redis.port }, () => instead);
    try {
      await eventually(
        ARRIVAL_MS,
        'the refusal',
        () => connection.trouble === 'the sentinels have named another master',
      );
      expect(connection.isUp).toBe(false);
      instead = undefined;
      await eventually(ARRIVAL_MS, 'the connection to be up', () => connection.isUp);
    } finally {
      await connection.close();
    }
  });
});
