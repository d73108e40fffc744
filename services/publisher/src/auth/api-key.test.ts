import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ApiKeys, newApiKey } from './api-key.ts';

describe('an API key', () => {
  it('is random, and its hash is that of its whole text', () => {
    const [one, other] = [newApiKey(), newApiKey()];
    expect(one.key).not.toBe(other.key);
    expect(one.key).toMatch(/^lgp_[\w-]{43}$/);
    expect(one.sha256).toBe(createHash('sha256').update(one.key).digest('hex'));
  });

  it('is found among several by its text alone', () => {
    const [one, other] = [newApiKey(), newApiKey()];
    const keys = new ApiKeys([
      { id: 'one', sha256: one.sha256, servers: ['acme'] },
      { id: 'other', sha256: other.sha256.toUpperCase() },
    ]);
    expect(keys.find(one.key)).toMatchObject({ publisher: 'key:one', servers: ['acme'] });
    expect(keys.find(other.key)).toMatchObject({ publisher: 'key:other' });
    for (const wrong of ['', 'lgp_', one.key.slice(0, -1), `${one.key}x`, one.sha256]) {
      expect(keys.find(wrong)).toBeUndefined();
    }
  });
});
