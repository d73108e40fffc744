import { describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

describe('an address', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', 'LOCALHOST'])(
    '%s is reachable from here alone',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', 'localhost.example', ''])(
    '%j may be reachable by others',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
