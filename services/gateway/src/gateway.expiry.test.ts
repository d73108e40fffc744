import { within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGuarded } from '../test/guarded-gateway.ts';

const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow;

describe('a stream', () => {
  it('is dropped within a second of the expiry of its token, so that its host listens again (P-3.3, INS-03)', async () => {
    const guarded = await openGuarded();
    const expiresAtS = seconds(2);
    const stream = await guarded.open(await guarded.token({ exp: expiresAtS }));
    expect(await within(5_000, 'the end of the stream', stream.ended)).toBe('cut');
    const lateMs = Date.now() - expiresAtS * 1_000;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_000);
    expect(stream.messages.at(-1)).not.toHaveProperty('result');
    await guarded.gateway.holds(0);
    expect(guarded.gateway.closeReasons).toEqual(['token-expired']);
  });

  it('ends with the result at expiry where stream.resultAtExpiry says so', async () => {
    const guarded = await openGuarded({}, { sketch: { stream: { resultAtExpiry: true } } });
    const stream = await guarded.open(await guarded.token({ exp: seconds(2) }));
    expect(await within(5_000, 'the end of the stream', stream.ended)).toBe('complete');
    expect(stream.messages.at(-1)).toHaveProperty('result');
  });

  it('ends without the result at a drain where stream.resultAtDrain says so', async () => {
    const guarded = await openGuarded({}, { sketch: { stream: { resultAtDrain: false } } });
    const stream = await guarded.open(await guarded.token());
    const drain = guarded.gateway.gateway.drain();
    drain.hasten();
    expect(await within(5_000, 'the end of the stream', stream.ended)).toBe('cut');
    expect(stream.messages.at(-1)).not.toHaveProperty('result');
  });

  it('ends when it was to although the wall clock is set back meanwhile (P-3.3)', async () => {
    let stepMs = 0;
    const guarded = await openGuarded({}, { wallNow: () => Date.now() + stepMs });
    const stream = await guarded.open(await guarded.token({ exp: seconds(2) }));
    stepMs = -3_600_000;
    await within(4_000, 'the end of the stream', stream.ended);
    await guarded.gateway.holds(0);
    expect(guarded.gateway.closeReasons).toEqual(['token-expired']);
  });

  it('is not ended by a wall clock that is set forward', async () => {
    let stepMs = 0;
    const guarded = await openGuarded({}, { wallNow: () => Date.now() + stepMs });
    const stream = await guarded.open(await guarded.token({ exp: seconds(600) }));
    stepMs = 3_600_000;
    await guarded.gateway.publish({ kind: 'tools' });
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('stays, of a token for longer than a timer can count, and warns of no overflow (FIELD D2)', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    const guarded = await openGuarded();
    const expiries = [seconds(25 * 86_400), seconds(60 * 86_400), 9_999_999_999, undefined];
    const streams = await Promise.all(
      expiries.map(async (exp) => guarded.open(await guarded.token({ exp, jti: String(exp) }))),
    );
    await guarded.gateway.publish({ kind: 'tools' });
    for (const stream of streams) expect(await stream.next()).toHaveProperty('method');
    await guarded.gateway.holds(4);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('is not opened by a token that only the clock skew keeps alive, since it would end at once (FIELD D4)', async () => {
    let stepMs = 0;
    const guarded = await openGuarded({ clockSkewS: 30 }, { wallNow: () => Date.now() + stepMs });
    const token = await guarded.token({ exp: seconds(60) });
    stepMs = 70_000;
    const answer = await guarded.listen(`Bearer ${token}`);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/error="invalid_token".*resource_metadata=/);
    expect(await guarded.refused('expired')).toBe(1);
    stepMs = 20_000;
    const other = await fetch(`${guarded.gateway.gateway.url}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{',
    });
    expect(other.status, 'past the token, at the body').toBe(400);
  });

  it('is not opened by a token that expired since it was verified', async () => {
    let stepMs = 0;
    const guarded = await openGuarded({}, { wallNow: () => Date.now() + stepMs });
    const token = await guarded.token({ exp: seconds(60) });
    await guarded.open(token);
    stepMs = 70_000;
    expect((await guarded.listen(`Bearer ${token}`)).status).toBe(401);
  });
});
