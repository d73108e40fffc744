import { describe, expect, it } from 'vitest';
import { DEFAULT_SERVER_ID, isServerId } from './server-id.ts';

describe('a server id', () => {
  it.each([DEFAULT_SERVER_ID, 'a', '7', 'acme-ops', 'A.b_c-d', 'a'.repeat(64)])('can be %j', (id) => {
    expect(isServerId(id)).toBe(true);
  });

  it.each(['', '.', '..', '-a', '_a', 'a/b', 'a b', 'a{b}', 'a\n', 'é', 'a'.repeat(65)])(
    'cannot be %j, which a URL path or a Redis hash tag would read otherwise',
    (id) => {
      expect(isServerId(id)).toBe(false);
    },
  );
});
