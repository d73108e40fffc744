import type { ServerId } from '@listen-gateway/protocol';
import { type RecordingSink, TestInstance, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';

const DAY_MS = 86_400_000;
const resultsOf = (sink: RecordingSink) => sink.messages.filter(({ result }) => result !== undefined).length;

/** An instance, and a principal whose credential expires so many milliseconds from now. */
function expiring(inMs: number, options: ConstructorParameters<typeof TestInstance>[0] = {}) {
  const instance = new TestInstance(options);
  return { instance, ann: { subject: 'ann', principal: { expiresAt: instance.clock.now() + inMs } } };
}

describe('a stream whose credential expires', () => {
  it('is dropped within a second of it, without the result, so that its host comes back (P-3.3, INS-03)', async () => {
    const { instance, ann } = expiring(60_000);
    const sink = await instance.open(ann);
    const other = await instance.open({ subject: 'bob' });

    instance.clock.advance(59_900);
    expect(instance.observer.reasons).toEqual([]);
    instance.clock.advance(1_100);

    expect(instance.observer.reasons).toEqual(['token-expired']);
    expect([sink.closing, resultsOf(sink)]).toEqual(['cut', 0]);
    expect(other.closing).toBe('no');
  });

  it('is sent the result first where that is configured', async () => {
    const { instance, ann } = expiring(1_000, { endsWithResult: { 'token-expired': true } });
    const sink = await instance.open(ann);
    instance.clock.advance(2_000);
    expect([sink.closing, resultsOf(sink)]).toEqual(['end', 1]);
  });

  it.each([25 * DAY_MS, 60 * DAY_MS, 9_999_999_999_000])(
    'in %d ms stays open, on no timer of its own (FIELD D2)',
    async (inMs) => {
      const { instance, ann } = expiring(inMs);
      const pending = instance.clock.pending;
      const sink = await instance.open(ann);
      expect(instance.clock.pending).toBe(pending);
      instance.clock.advance(120_000);
      expect(sink.closing).toBe('no');
    },
  );

  it('and has expired already is dropped at the next look', async () => {
    const { instance, ann } = expiring(-5_000);
    const sink = await instance.open(ann);
    instance.clock.advance(1_000);
    expect(sink.closing).toBe('cut');
  });

  it('while the broker is still confirming is refused, not opened and closed (P-5)', async () => {
    const { instance, ann } = expiring(500);
    instance.broker.hold();
    const { outcome } = instance.ask(ann);
    instance.clock.advance(1_500);
    instance.broker.confirm();
    expect(await within(1_000, 'the outcome', outcome)).toBe('unauthorized');
  });

  it('leaves nothing behind, however it ended', async () => {
    const { instance, ann } = expiring(60_000);
    const [left, expired] = [await instance.open(ann), await instance.open(ann)];
    left.leave();
    instance.clock.advance(61_000);
    instance.clock.advance(61_000);
    expect(expired.closing).toBe('cut');
    expect(instance.streams.open.size).toBe(0);
    expect(instance.observer.reasons).toEqual(['host-gone', 'token-expired']);
  });
});

describe('a disconnect', () => {
  const disconnect = (subject: string, rest: { sid?: string; jti?: string } = {}) =>
    ({ kind: 'disconnect', subject, ...rest }) as const;

  it('ends the streams of its principal on its server, by a drop, and nobody else’s', async () => {
    const instance = new TestInstance();
    const [first, second] = [await instance.open({ subject: 'ann' }), await instance.open({ subject: 'ann' })];
    const elsewhere = await instance.open({ subject: 'ann', serverId: 'other' as ServerId });
    const [bob, nobody] = [await instance.open({ subject: 'bob' }), await instance.open()];

    await instance.publish(disconnect('ann'));

    expect([first, second, elsewhere, bob, nobody].map(({ closing }) => closing)).toEqual([
      'cut',
      'cut',
      'no',
      'no',
      'no',
    ]);
    expect(instance.observer.reasons).toEqual(['revoked', 'revoked']);
  });

  it.each([
    [{ sid: 's1' }, ['cut', 'no', 'no']],
    [{ jti: 'j2' }, ['no', 'cut', 'no']],
    [{ sid: 's1', jti: 'j2' }, ['no', 'no', 'no']],
  ])('of %j ends the streams of that session or token alone', async (named, closings) => {
    const instance = new TestInstance();
    const sinks = [
      await instance.open({ subject: 'ann', principal: { sid: 's1', jti: 'j1' } }),
      await instance.open({ subject: 'ann', principal: { sid: 's2', jti: 'j2' } }),
      await instance.open({ subject: 'ann' }),
    ];
    await instance.publish(disconnect('ann', named));
    expect(sinks.map(({ closing }) => closing)).toEqual(closings);
  });

  it('is told of before the streams end, and so is a gap, in which one may have been lost', async () => {
    const told: unknown[] = [];
    const instance: TestInstance = new TestInstance({
      onDisconnect: (serverId, subject) => told.push([serverId, subject, instance.streams.open.size]),
    });
    await instance.open({ subject: 'ann' });
    await instance.open({ subject: 'bob' });
    await instance.publish(disconnect('ann'));
    instance.broker.gap('default' as ServerId);
    expect(told).toEqual([
      ['default', 'ann', 2],
      ['default', undefined, 1],
    ]);
  });

  it('is no notification: no host is told of it', async () => {
    const instance = new TestInstance();
    const bob = await instance.open({ subject: 'bob' });
    await instance.publish(disconnect('ann'));
    expect(bob.messages).toHaveLength(1);
  });
});

describe('a gap, in which a disconnect may have been lost', () => {
  const HOUR_MS = 3_600_000;

  it.each([
    ['never', undefined, 'cut'],
    ['after more than an hour', HOUR_MS + 60_000, 'cut'],
    ['within the hour', HOUR_MS, 'no'],
  ])('drops a stream whose credential expires %s: %j', async (_when, inMs, closing) => {
    const instance = new TestInstance();
    const expiresAt = inMs === undefined ? undefined : instance.clock.now() + inMs;
    const ann = await instance.open({ subject: 'ann', principal: { expiresAt } });
    const nobody = await instance.open();
    instance.broker.gap('default' as ServerId);
    expect([ann.closing, nobody.closing]).toEqual([closing, 'no']);
    expect(resultsOf(ann)).toBe(0);
    expect(instance.observer.reasons).toEqual(closing === 'cut' ? ['gap'] : []);
  });
});
