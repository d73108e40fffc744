import { describe, expect, it } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { openRedisProcess } from './redis-process.ts';

describe('a program that the broker is tested with', { timeout: INSTALL_MS }, () => {
  it.each([
    ['redis', /^redis_version:[7-9]/m],
    ['redis 8', /^redis_version:8\./m],
    ['valkey 8', /^valkey_version:8\./m],
  ] as const)('is what it is named after: %s', async (program, version) => {
    const redis = await openRedisProcess({ program });
    try {
      expect(await redis.cli('INFO', 'server')).toMatch(version);
    } finally {
      await redis.close();
    }
  });
});
