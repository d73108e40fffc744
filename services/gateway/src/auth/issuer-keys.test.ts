import { ManualClock, makeKey, TestIssuer, type TestIssuerOptions } from '@listen-gateway/testkit';
import { errors } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { IssuerKeys, type IssuerKeysOptions, KeysUnavailable } from './issuer-keys.ts';

const MAX_AGE_MS = 150_000;
const STALE_MS = 3_600_000;
const issuers: TestIssuer[] = [];

afterEach(async () => {
  for (const issuer of issuers.splice(0)) await issuer.close();
});

async function open(settings: Partial<IssuerKeysOptions> = {}, options?: TestIssuerOptions) {
  const issuer = await TestIssuer.start(options);
  issuers.push(issuer);
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const keys = new IssuerKeys({
    issuer: issuer.issuer,
    clock,
    maxAgeMs: MAX_AGE_MS,
    staleMs: STALE_MS,
    observer: { answered: () => {}, failed: (_issuer, _question, cause) => failures.push(cause) },
    ...settings,
  });
  const select = (kid: string | undefined) => keys.select({ alg: 'ES256', ...(kid !== undefined && { kid }) }, TOKEN);
  return { issuer, clock, keys, failures, select, fetched: () => issuer.asked.get('/keys') ?? 0 };
}

/** The set chooses by the header alone. */
const TOKEN = { payload: '', signature: '' };
const kidOf = ({ keys }: TestIssuer, at = -1) => keys.at(at)?.jwk.kid;

describe('the keys of an issuer', () => {
  it.each([
    ['RFC 8414 has it', {}],
    ['RFC 8414 has it, behind a path', { path: '/tenants/1' }],
    ['OpenID Connect has it', { metadataPath: '/.well-known/openid-configuration' }],
    ['OpenID Connect has it, behind a path', { path: '/t', metadataPath: '/t/.well-known/openid-configuration' }],
  ])('are found by its metadata where %s', async (_, options) => {
    const { issuer, select } = await open({}, options);
    await expect(select(kidOf(issuer))).resolves.toMatchObject({ type: 'public' });
  });

  it('are taken from jwksUrl where that is set, without a question about metadata', async () => {
    const other = await open();
    const { select, issuer } = await open({ jwksUrl: other.issuer.at('/keys') });
    await expect(select(kidOf(other.issuer))).resolves.toBeDefined();
    expect(issuer.asked.size).toBe(0);
  });

  it.each([
    ['names another issuer', { issuer: 'https://other.example' }],
    ['names no keys', { jwks_uri: undefined }],
    ['names keys that come over anything else than it came itself', { jwks_uri: 'ftp://127.0.0.1/keys' }],
  ])('are not taken from metadata that %s', async (_, metadata) => {
    const { issuer, select, fetched, failures } = await open();
    Object.assign(issuer.metadata, metadata);
    await expect(select(kidOf(issuer))).rejects.toThrow(KeysUnavailable);
    expect([fetched(), failures.length]).toEqual([0, 1]);
  });

  it('are not taken from where a redirect leads', async () => {
    const { issuer, select } = await open();
    issuer.routes.set('/elsewhere', () => ({ body: { keys: issuer.keys.map(({ jwk }) => jwk) } }));
    issuer.routes.set('/keys', () => ({ status: 302, headers: { Location: issuer.at('/elsewhere') } }));
    await expect(select(kidOf(issuer))).rejects.toThrow(KeysUnavailable);
    expect(issuer.asked.get('/elsewhere')).toBeUndefined();
  });

  it.each([
    ['no keys', {}],
    ['keys that are no list', { keys: 7 }],
    ['a key that is none', { keys: ['x'] }],
  ])('cannot be had from a set with %s', async (_, body) => {
    const { issuer, select } = await open();
    issuer.routes.set('/keys', () => ({ body }));
    await expect(select(kidOf(issuer))).rejects.toThrow(KeysUnavailable);
  });

  it('are fetched once, however many ask at once', async () => {
    const { issuer, select, fetched } = await open();
    await Promise.all(Array.from({ length: 50 }, () => select(kidOf(issuer))));
    expect(fetched()).toBe(1);
  });

  it('include a new one as soon as a token names it', async () => {
    const { issuer, clock, select, fetched } = await open();
    await select(kidOf(issuer));
    await issuer.rotate();
    clock.advance(10_000);
    await expect(select(kidOf(issuer))).resolves.toBeDefined();
    await expect(select(kidOf(issuer, 0))).resolves.toBeDefined();
    expect(fetched()).toBe(2);
  });

  it('are fetched for unknown key ids once in a cooldown at most, since anybody can make them up', async () => {
    const { issuer, clock, select, fetched } = await open();
    await select(kidOf(issuer));
    for (let seconds = 0; seconds < 20; seconds += 1) {
      await expect(select(`made-up-${seconds}`)).rejects.toThrow(errors.JWKSNoMatchingKey);
      clock.advance(1_000);
    }
    // At 10 s; the one at 0 s was within the cooldown of the first fetch.
    expect(fetched()).toBe(2);
  });

  it('are fetched as rarely for unknown key ids while the issuer is down, and nothing is said of those', async () => {
    const { issuer, clock, select } = await open();
    await select(kidOf(issuer));
    clock.advance(10_000);
    issuer.isUp = false;
    for (let at = 0; at < 10; at += 1) {
      await expect(select(`made-up-${at}`)).rejects.toThrow(KeysUnavailable);
      clock.advance(200);
    }
    expect(issuer.asked.get('/.well-known/oauth-authorization-server')).toBe(2);
  });

  it('are without one that was removed once they are fetched anew (FIELD D6)', async () => {
    const { issuer, clock, keys, select } = await open();
    const kid = kidOf(issuer) as string;
    await select(kid);
    const name = keys.nameOf({ alg: 'ES256', kid });
    expect(await keys.holds(name)).toBe(true);
    issuer.keys.splice(0, 1, await makeKey());
    clock.advance(MAX_AGE_MS - 1);
    expect(await keys.holds(name), 'not yet').toBe(true);
    clock.advance(1);
    expect(await keys.holds(name)).toBe(false);
    await expect(select(kid)).rejects.toThrow(errors.JWKSNoMatchingKey);
  });

  it('do not hold a key of the same id in place of another', async () => {
    const { issuer, clock, keys, select } = await open();
    const kid = kidOf(issuer) as string;
    await select(kid);
    const name = keys.nameOf({ alg: 'ES256', kid });
    const { privateKey, jwk } = await makeKey();
    issuer.keys.splice(0, 1, { privateKey, jwk: { ...jwk, kid } });
    clock.advance(MAX_AGE_MS);
    expect(await keys.holds(name)).toBe(false);
  });

  it('stand for a token that names none while nothing of them changes', async () => {
    const { issuer, clock, keys, select } = await open();
    await issuer.rotate();
    await select(kidOf(issuer));
    const name = keys.nameOf({ alg: 'ES256' });
    clock.advance(MAX_AGE_MS);
    expect(await keys.holds(name)).toBe(true);
    issuer.keys.shift();
    clock.advance(MAX_AGE_MS);
    expect(await keys.holds(name)).toBe(false);
  });

  it('stay good for staleKeysMs while the issuer is down, and no longer', async () => {
    const { issuer, clock, select } = await open();
    const kid = kidOf(issuer);
    await select(kid);
    issuer.isUp = false;
    clock.advance(MAX_AGE_MS + STALE_MS - 1);
    await expect(select(kid)).resolves.toBeDefined();
    clock.advance(1);
    await expect(select(kid)).rejects.toThrow(KeysUnavailable);
    issuer.isUp = true;
    clock.advance(2_000);
    await expect(select(kid)).resolves.toBeDefined();
  });

  it('keep nobody waiting for an issuer that hangs once that is known', async () => {
    const { issuer, clock, select, failures } = await open();
    const kid = kidOf(issuer);
    await select(kid);
    issuer.isUp = false;
    clock.advance(MAX_AGE_MS);
    await select(kid);
    expect(failures).toHaveLength(1);
    issuer.isUp = true;
    const hanging = Promise.withResolvers<{ status: number }>();
    issuer.routes.set('/keys', () => hanging.promise);
    clock.advance(2_000);
    await expect(select(kid)).resolves.toBeDefined();
    hanging.resolve({ status: 500 });
  });
});
