import { eventually, makeKey, TEST_SERVER, within } from '@listen-gateway/testkit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { AUDIENCE, openGuarded, openIssuer } from '../test/guarded-gateway.ts';

/** Within which what is removed or revoked is to be gone. */
const REVALIDATE_MS = 1_000;

vi.stubEnv('TEST_INTROSPECTION_SECRET', 's3cret:+');
afterAll(() => vi.unstubAllEnvs());

/** A server whose opaque tokens are asked about. */
async function openIntrospecting(settings: Readonly<Record<string, unknown>> = {}) {
  const issuer = await openIssuer();
  const introspection = {
    url: issuer.at('/introspect'),
    clientId: 'gate way',
    clientSecretVariable: 'TEST_INTROSPECTION_SECRET',
  };
  const guarded = await openGuarded({ issuers: [{ issuer: issuer.issuer, introspection }], ...settings });
  const active = { active: true, sub: 'user-1', aud: AUDIENCE };
  return { issuer, guarded, active, asked: () => issuer.asked.get('/introspect') ?? 0 };
}

describe('an opaque token', () => {
  it('lets in where its issuer says that it is active and for this server (P-3.1)', async () => {
    const { issuer, guarded, active, asked } = await openIntrospecting({ scopes: ['mcp:listen'] });
    issuer.opaque.set('abc', { ...active, scope: 'mcp:listen', exp: Math.floor(Date.now() / 1_000) + 600 });
    await Promise.all(Array.from({ length: 20 }, () => guarded.open('abc')));
    expect(asked(), 'once, and kept').toBe(1);
  });

  it.each([
    ['is not known', undefined, 'invalid'],
    ['is not active', { active: false, sub: 'user-1', aud: AUDIENCE }, 'invalid'],
    ['is for another server', { active: true, sub: 'user-1', aud: 'https://other.example' }, 'foreign'],
    ['is for nobody in particular', { active: true, sub: 'user-1' }, 'foreign'],
    ['is of another issuer', { active: true, sub: 'user-1', aud: AUDIENCE, iss: 'https://other.example' }, 'foreign'],
    ['has expired', { active: true, sub: 'user-1', aud: AUDIENCE, exp: 1_700_000_000 }, 'expired'],
    ['is not good yet', { active: true, sub: 'user-1', aud: AUDIENCE, nbf: 9_999_999_999 }, 'invalid'],
    ['names nobody', { active: true, aud: AUDIENCE }, 'invalid'],
  ])('is refused with 401 where it %s (P-3.1)', async (_, members, reason) => {
    const { issuer, guarded } = await openIntrospecting();
    if (members !== undefined) issuer.opaque.set('abc', members);
    const answer = await guarded.listen('Bearer abc');
    expect(answer.status).toBe(401);
    expect(await guarded.refused(reason)).toBe(1);
  });

  it.each<[string, object]>([
    ['an error', { status: 500 }],
    ['a refusal of the gateway itself', { status: 401 }],
    ['no JSON', { body: undefined }],
    ['nothing of whether it is active', { body: { sub: 'user-1' } }],
  ])('is answered with 503 where its issuer answers with %s, since nothing is known of it', async (_, answered) => {
    const { issuer, guarded } = await openIntrospecting();
    issuer.routes.set('/introspect', () => answered);
    const answer = await guarded.listen('Bearer abc');
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(await guarded.refused('unavailable')).toBe(1);
  });

  it('is answered with 503 where as many are being asked about as may be: anybody can make them up', async () => {
    const { issuer, guarded, asked } = await openIntrospecting();
    const answer = Promise.withResolvers<object>();
    issuer.routes.set('/introspect', () => answer.promise);
    const waiting = Array.from({ length: 64 }, (_, at) => guarded.listen(`Bearer made-up-${at}`));
    await eventually(5_000, '64 questions', () => asked() === 64);
    expect((await guarded.listen('Bearer one-more')).status).toBe(503);
    answer.resolve({ body: { active: false } });
    for (const host of waiting) expect((await host).status).toBe(401);
    expect((await guarded.listen('Bearer one-more')).status).toBe(401);
  });

  it('that is revoked ends its streams within revalidateMs, and opens no more (FIELD D6)', async () => {
    const { issuer, guarded, active } = await openIntrospecting({ revalidateMs: REVALIDATE_MS });
    for (const token of ['kept', 'revoked']) issuer.opaque.set(token, active);
    const kept = await guarded.open('kept');
    const streams = [await guarded.open('revoked'), await guarded.open('revoked')];
    issuer.opaque.delete('revoked');
    for (const stream of streams) {
      expect(await within(REVALIDATE_MS + 1_000, 'the end of the stream', stream.ended)).toBe('cut');
    }
    await guarded.gateway.holds(1);
    expect(guarded.gateway.closeReasons).toEqual(['revoked', 'revoked']);
    expect((await guarded.listen('Bearer revoked')).status).toBe(401);
    await guarded.gateway.publish({ kind: 'tools' });
    expect(await kept.next()).toHaveProperty('method', 'notifications/tools/list_changed');
  });

  it('that is revoked is good for nothing as soon as its principal is disconnected (FIELD D6)', async () => {
    const { issuer, guarded, active } = await openIntrospecting({ introspectedMs: 300_000 });
    issuer.opaque.set('abc', active);
    const stream = await guarded.open('abc');
    issuer.opaque.delete('abc');
    await guarded.gateway.broker.publish(TEST_SERVER, [{ kind: 'disconnect', subject: 'user-1' }]);
    expect(await within(1_000, 'the end of the stream', stream.ended)).toBe('cut');
    expect((await guarded.listen('Bearer abc')).status).toBe(401);
  });

  it('whose scopes change ends its streams, so that the host is told anew what it may watch (FIELD D6)', async () => {
    const { issuer, guarded, active } = await openIntrospecting({ revalidateMs: REVALIDATE_MS });
    issuer.opaque.set('abc', { ...active, scope: 'a b' });
    const stream = await guarded.open('abc');
    issuer.opaque.set('abc', { ...active, scope: 'b' });
    await within(REVALIDATE_MS + 1_000, 'the end of the stream', stream.ended);
  });

  it('keeps its streams while its issuer is down', async () => {
    const { issuer, guarded, active, asked } = await openIntrospecting({ revalidateMs: REVALIDATE_MS });
    issuer.opaque.set('abc', active);
    const stream = await guarded.open('abc');
    issuer.isUp = false;
    const before = asked();
    await eventually(5_000, 'two rounds', () => asked() >= before + 2);
    await guarded.gateway.publish({ kind: 'tools' });
    expect(await stream.next()).toHaveProperty('method');
  });

  it('is asked about at each issuer that can be, and an answer outweighs none', async () => {
    const down = await openIssuer();
    down.isUp = false;
    const up = await openIssuer();
    const introspecting = (issuer: typeof up, subjectPrefix: string) => ({
      issuer: issuer.issuer,
      subjectPrefix,
      introspection: {
        url: issuer.at('/introspect'),
        clientId: 'gate way',
        clientSecretVariable: 'TEST_INTROSPECTION_SECRET',
      },
    });
    const guarded = await openGuarded({ issuers: [introspecting(down, 'a:'), introspecting(up, 'b:')] });
    up.opaque.set('abc', { active: true, sub: 'user-1', aud: AUDIENCE });
    expect((await guarded.listen('Bearer abc')).status).toBe(200);
    expect((await guarded.listen('Bearer other')).status, 'the one that is down might have known it').toBe(503);
  });
});

describe('a key that is removed', () => {
  it('ends the streams that it let in within revalidateMs, and lets in no more (FIELD D6)', async () => {
    const guarded = await openGuarded({ revalidateMs: REVALIDATE_MS });
    const old = await guarded.token();
    const stream = await guarded.open(old);
    guarded.issuer.keys.splice(0, 1, await makeKey());
    expect(await within(REVALIDATE_MS + 1_000, 'the end of the stream', stream.ended)).toBe('cut');
    await guarded.gateway.holds(0);
    expect(guarded.gateway.closeReasons).toEqual(['revoked']);
    expect((await guarded.listen(`Bearer ${old}`)).status, 'as soon as its streams end').toBe(401);
    expect((await guarded.listen(`Bearer ${await guarded.token()}`)).status).toBe(200);
  });

  it('that is still there ends nothing: streams live through rounds and rotations', async () => {
    const guarded = await openGuarded({ revalidateMs: REVALIDATE_MS });
    const stream = await guarded.open(await guarded.token());
    await guarded.issuer.rotate();
    const fetched = () => guarded.issuer.asked.get('/keys') ?? 0;
    await eventually(5_000, 'three rounds', () => fetched() >= 4);
    await guarded.gateway.publish({ kind: 'tools' });
    expect(await stream.next()).toHaveProperty('method');
  });
});

describe('an issuer whose keys cannot be had', () => {
  it('has its hosts come back later rather than get other tokens', async () => {
    const guarded = await openGuarded();
    guarded.issuer.isUp = false;
    const answer = await guarded.listen(`Bearer ${await guarded.token()}`);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^[1-5]$/);
    expect(await guarded.gateway.metric('lg_auth_issuer_questions_total{question="keys",outcome="failed"}')).toBe(1);
    const failures = guarded.gateway.log.filter(({ msg }) => msg === 'issuer failed');
    expect(failures).toHaveLength(1);
    guarded.issuer.isUp = true;
    const token = await guarded.token();
    await eventually(5_000, 'the next try', async () => (await guarded.listen(`Bearer ${token}`)).status === 200);
    expect(guarded.gateway.log.some(({ msg }) => msg === 'issuer answers again')).toBe(true);
  });
});
