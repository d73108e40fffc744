import type { ChangeCapabilities } from '@listen-gateway/protocol';
import { ManualClock } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiscoverAnswer, type Discovered, Discovery } from './discovery.ts';

const CONFIGURED: ChangeCapabilities = {
  tools: true,
  prompts: true,
  resources: { listChanged: true, subscribe: true, subResources: false },
  tasks: true,
};

/** An upstream whose answers the test decides; counts who asked. */
function openDiscovery(
  answer: (credential: string | undefined, asked: number) => DiscoverAnswer | Promise<DiscoverAnswer>,
) {
  const clock = new ManualClock();
  const asked: (string | undefined)[] = [];
  const discovery = new Discovery({
    clock,
    configured: CONFIGURED,
    ask: async (credential) => {
      asked.push(credential);
      return answer(credential, asked.length);
    },
  });
  return { clock, asked, discovery };
}

const result = (members: object): DiscoverAnswer => ({
  kind: 'result',
  result: { capabilities: { tools: {} }, ...members },
});
const PRIVATE = { ttlMs: 60_000, cacheScope: 'private' };
const PUBLIC = { ttlMs: 60_000, cacheScope: 'public' };
/** A member of the answer that tells answers apart. */
const serialOf = (discovered: Discovered) =>
  discovered.kind === 'merged' ? discovered.result.serial : discovered.kind;

describe('the discover answer of an upstream', () => {
  it('is fetched once for a thousand hosts that ask at once', async () => {
    const { promise, resolve } = Promise.withResolvers<DiscoverAnswer>();
    const { asked, discovery } = openDiscovery(() => promise);
    const hosts = Array.from({ length: 1_000 }, () => discovery.discover(undefined));
    resolve(result(PUBLIC));
    expect(new Set((await Promise.all(hosts)).map(({ kind }) => kind))).toEqual(new Set(['merged']));
    expect(asked).toHaveLength(1);
  });

  it('is kept for its ttlMs, counted from its arrival, and not a millisecond longer', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { clock, asked, discovery } = openDiscovery(async (_, serial) => {
      if (serial === 1) await promise;
      return result({ ...PUBLIC, ttlMs: 5_000, serial });
    });
    const first = discovery.discover(undefined);
    clock.advance(100_000);
    resolve();
    expect(serialOf(await first)).toBe(1);
    clock.advance(4_999);
    expect(serialOf(await discovery.discover(undefined))).toBe(1);
    clock.advance(1);
    expect(serialOf(await discovery.discover(undefined))).toBe(2);
    expect(asked).toHaveLength(2);
  });

  it.each([undefined, 0, -5, 999, '60000', null])('with a ttlMs of %j is kept for a second', async (ttlMs) => {
    const { clock, asked, discovery } = openDiscovery(() => result({ cacheScope: 'public', ttlMs }));
    await discovery.discover(undefined);
    clock.advance(999);
    await discovery.discover(undefined);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await discovery.discover(undefined);
    expect(asked).toHaveLength(2);
  });

  it('is for everybody where its cacheScope is public, whoever asked', async () => {
    const { asked, discovery } = openDiscovery(() => result(PUBLIC));
    for (const credential of ['Bearer a', 'Bearer b', undefined, '']) await discovery.discover(credential);
    expect(asked).toEqual(['Bearer a']);
  });

  it.each(['private', undefined, 'Public', 7])(
    'is for one credential where its cacheScope is %j',
    async (cacheScope) => {
      const { asked, discovery } = openDiscovery((credential) =>
        result({ ttlMs: 60_000, cacheScope, serial: credential }),
      );
      for (const credential of ['Bearer a', 'Bearer b', 'Bearer a', 'Bearer b']) {
        expect(serialOf(await discovery.discover(credential))).toBe(credential);
      }
      expect(asked).toEqual(['Bearer a', 'Bearer b']);
    },
  );

  it('that a host without a credential got in private is for no other', async () => {
    const { asked, discovery } = openDiscovery((credential) => result({ ...PRIVATE, serial: credential ?? 'none' }));
    for (const credential of [undefined, 'Bearer a', '', undefined]) {
      expect(serialOf(await discovery.discover(credential))).toBe(credential ?? 'none');
    }
    expect(asked).toEqual([undefined, 'Bearer a', '']);
  });

  it('that a host without a credential waits for is not waited for by one that has one', async () => {
    const { asked, discovery } = openDiscovery((credential) =>
      credential === undefined ? new Promise(() => {}) : result({ ...PRIVATE, serial: credential }),
    );
    void discovery.discover(undefined);
    expect(serialOf(await discovery.discover('Bearer a'))).toBe('Bearer a');
    expect(asked).toEqual([undefined, 'Bearer a']);
  });

  it.each(['refused', 'unreachable'] as const)(
    'that is %s is asked for again after a second, by each credential',
    async (kind) => {
      const { clock, asked, discovery } = openDiscovery((_, serial) => (serial <= 2 ? { kind } : result(PUBLIC)));
      for (const credential of ['Bearer a', 'Bearer b', 'Bearer a', 'Bearer b']) {
        expect((await discovery.discover(credential)).kind).toBe(kind);
      }
      clock.advance(999);
      expect((await discovery.discover('Bearer a')).kind).toBe(kind);
      expect(asked).toHaveLength(2);
      clock.advance(1);
      expect((await discovery.discover('Bearer a')).kind).toBe('merged');
      expect((await discovery.discover('Bearer b')).kind, 'what is public is known to all').toBe('merged');
      expect(asked).toHaveLength(3);
    },
  );

  it('is kept for a thousand credentials; the oldest makes room', async () => {
    const { asked, discovery } = openDiscovery(() => result(PRIVATE));
    for (let host = 0; host <= 1_000; host += 1) await discovery.discover(`Bearer ${host}`);
    expect(asked).toHaveLength(1_001);
    for (let host = 1; host <= 1_000; host += 1) await discovery.discover(`Bearer ${host}`);
    expect(asked, 'the newest thousand are known').toHaveLength(1_001);
    await discovery.discover('Bearer 0');
    expect(asked, 'the oldest is not').toHaveLength(1_002);
  });

  it('is never given to another credential than it was for, nor after its time', async () => {
    const step = fc.record({
      credential: fc.constantFrom(undefined, '', 'a', 'b', 'c'),
      waitMs: fc.nat(3_000),
      ttlMs: fc.nat(4_000),
      cacheScope: fc.constantFrom('public', 'private'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const answers: { readonly credential: string | undefined; readonly until: number; readonly shared: boolean }[] =
          [];
        let next = { ttlMs: 0, cacheScope: 'public' };
        const { clock, discovery } = openDiscovery((credential) => {
          const until = clock.now() + Math.max(1_000, next.ttlMs);
          answers.push({ credential, until, shared: next.cacheScope === 'public' });
          return result({ ...next, serial: answers.length - 1 });
        });
        for (const { credential, waitMs, ...scope } of steps) {
          clock.advance(waitMs);
          next = scope;
          const given = answers[Number(serialOf(await discovery.discover(credential)))];
          expect(given?.until).toBeGreaterThan(clock.now());
          if (given?.shared === false) expect(given.credential).toBe(credential);
        }
      }),
    );
  });
});
