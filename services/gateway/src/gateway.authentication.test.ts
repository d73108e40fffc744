import { makeKey } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { AUDIENCE, type Guarded, openGuarded, openIssuer } from '../test/guarded-gateway.ts';

const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow;

describe('a host with a token', () => {
  it('is let in, whatever the letters of the scheme (P-3.1, FIELD D4)', async () => {
    const guarded = await openGuarded();
    const token = await guarded.token();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await guarded.listen(`${scheme} ${token}`);
      expect(answer.status).toBe(200);
      answer.close();
    }
  });

  it.each([
    ['names this server among others', { aud: ['https://other.example', AUDIENCE] }],
    ['is not good until a moment ahead within the clock skew', { nbf: seconds(3) }],
    ['never expires (FIELD D2)', { exp: undefined }],
    ['expires in 60 days (FIELD D2)', { exp: seconds(60 * 86_400) }],
    ['expires in the year 2286 (FIELD D2)', { exp: 9_999_999_999 }],
    ['names a client in place of a subject', { sub: undefined, client_id: 'robot' }],
  ])('is let in where it %s', async (_, claims) => {
    const guarded = await openGuarded();
    const stream = await guarded.open(await guarded.token(claims));
    expect(guarded.gateway.closeReasons).toEqual([]);
    stream.close();
  });

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('is let in where it is signed by %s', async (alg) => {
    const guarded = await openGuarded();
    await guarded.issuer.rotate(alg);
    expect((await guarded.listen(`Bearer ${await guarded.token()}`)).status).toBe(200);
  });

  it('that names no key is let in where one of them signed it', async () => {
    const guarded = await openGuarded();
    const [first] = guarded.issuer.keys;
    await guarded.issuer.rotate();
    const token = await guarded.issuer.sign({ aud: AUDIENCE }, { key: first, header: { kid: undefined } });
    expect((await guarded.listen(`Bearer ${token}`)).status).toBe(200);
  });

  it.each([
    ['scope', 'mcp:listen mcp:tools'],
    ['scope', ['mcp:listen', 'x']],
    ['scp', ['x', 'mcp:listen']],
    ['scp', 'mcp:listen'],
  ])('has the scopes that its claim %s lists as %j', async (claim, value) => {
    const guarded = await openGuarded({ scopes: ['mcp:listen'] });
    expect((await guarded.listen(`Bearer ${await guarded.token({ [claim]: value })}`)).status).toBe(200);
  });
});

describe('a request', () => {
  it.each<[string, (guarded: Guarded) => Promise<string | undefined> | string | undefined, string]>([
    ['without a token', () => undefined, 'missing'],
    ['with another scheme', () => 'Basic eDp5', 'malformed'],
    ['with a scheme alone', () => 'Bearer', 'malformed'],
    ['with two words behind the scheme', async (guarded) => `Bearer ${await guarded.token()} x`, 'malformed'],
    ['with characters that no token has', () => 'Bearer {"a":1}', 'malformed'],
    ['with an opaque token where nobody can be asked about it', () => 'Bearer abc', 'malformed'],
    ['with a token that has expired', async (g) => `Bearer ${await g.token({ exp: seconds(-60) })}`, 'expired'],
    ['with a token that is not good yet', async (g) => `Bearer ${await g.token({ nbf: seconds(60) })}`, 'invalid'],
    ['with a token for another server', async (g) => `Bearer ${await g.token({ aud: `${AUDIENCE}/x` })}`, 'foreign'],
    ['with a token for nobody', async (g) => `Bearer ${await g.token({ aud: undefined })}`, 'foreign'],
    ['with a token that names no subject', async (g) => `Bearer ${await g.token({ sub: '' })}`, 'invalid'],
    ['with a token of an issuer that is not trusted', async (g) => `Bearer ${await strange(g)}`, 'foreign'],
    ['with a token that another key signed', async (g) => `Bearer ${await forged(g)}`, 'invalid'],
    ['with a token whose key is unknown', async (g) => `Bearer ${await unknown(g)}`, 'invalid'],
    ['with an unsigned token', (g) => `Bearer ${unsigned(g)}`, 'invalid'],
    ['with a token signed by the public key as a secret', (g) => `Bearer ${confused(g)}`, 'invalid'],
  ])('%s is refused with 401 and told where to get one (P-3.1, FIELD D4)', async (_, authorizationOf, reason) => {
    const guarded = await openGuarded({ scopes: ['mcp:listen'] });
    const answer = await guarded.listen(await authorizationOf(guarded));
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const challenge = answer.headers['www-authenticate'] ?? '';
    const { host } = new URL(guarded.gateway.url);
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toContain(`resource_metadata="http://${host}/.well-known/oauth-protected-resource/mcp"`);
    expect(challenge).toContain('scope="mcp:listen"');
    // RFC 6750, 3.1: no error where no token was brought.
    expect(challenge.includes('error=')).toBe(reason !== 'missing');
    expect(await answer.json()).toHaveProperty('error', 'invalid_token');
    expect(await guarded.refused(reason)).toBe(1);
    expect(await guarded.gateway.metric('lg_streams_opened_total')).toBe(0);
  });

  it('with a token that lacks a scope is refused with 403 (P-3.1, FIELD D4)', async () => {
    const guarded = await openGuarded({ scopes: ['mcp:listen', 'mcp:tasks'] });
    const answer = await guarded.listen(`Bearer ${await guarded.token({ scope: 'mcp:listen' })}`);
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="mcp:listen mcp:tasks"/);
    expect(await guarded.refused('insufficient-scope')).toBe(1);
  });

  it('with an algorithm that is not let in is refused', async () => {
    const issuer = await openIssuer();
    const issuers = [{ issuer: issuer.issuer, algorithms: ['RS256'] }];
    const guarded = await openGuarded({ issuers });
    const es = await issuer.sign({ aud: AUDIENCE });
    expect((await guarded.listen(`Bearer ${es}`)).status).toBe(401);
    const rs = await issuer.sign({ aud: AUDIENCE }, { key: await issuer.rotate('RS256') });
    expect((await guarded.listen(`Bearer ${rs}`)).status).toBe(200);
  });

  it('is not let in by a token in its URL, however good (P-3.1)', async () => {
    const guarded = await openGuarded();
    const answer = await guarded.listen(undefined, `/mcp?access_token=${await guarded.token()}`);
    expect(answer.status).toBe(401);
  });
});

describe('a server that trusts several issuers', () => {
  it('takes the tokens of each, and knows their subjects apart', async () => {
    const [one, two] = [await openIssuer(), await openIssuer()];
    const guarded = await openGuarded({
      issuers: [
        { issuer: one.issuer, subjectPrefix: 'one:' },
        { issuer: two.issuer, subjectPrefix: 'two:' },
      ],
    });
    for (const issuer of [one, two]) await guarded.open(await issuer.sign({ aud: AUDIENCE, sub: 'same' }));
    const crossed = await two.sign({ aud: AUDIENCE, iss: one.issuer });
    expect((await guarded.listen(`Bearer ${crossed}`)).status).toBe(401);
  });
});

describe('servers that trust the same issuer', () => {
  it('fetch its keys once, and take no token that was verified for another of them', async () => {
    const issuer = await openIssuer();
    const auth = { issuer: issuer.issuer };
    const servers = {
      default: { auth: { ...auth, audience: AUDIENCE } },
      ops: { auth: { ...auth, audience: `${AUDIENCE}/ops` } },
    };
    const guarded = await openGuarded({}, { sketch: { servers } });
    const [own, other] = [await issuer.sign({ aud: AUDIENCE }), await issuer.sign({ aud: `${AUDIENCE}/ops` })];
    expect((await guarded.listen(`Bearer ${own}`)).status).toBe(200);
    expect((await guarded.listen(`Bearer ${own}`, '/mcp/ops')).status).toBe(401);
    expect((await guarded.listen(`Bearer ${other}`, '/mcp/ops')).status).toBe(200);
    expect(issuer.asked.get('/keys')).toBe(1);
  });
});

describe('a server without an issuer', () => {
  it('asks nobody for a token, beside one that does', async () => {
    const issuer = await openIssuer();
    const servers = { default: { auth: { issuer: issuer.issuer, audience: AUDIENCE } }, open: {} };
    const guarded = await openGuarded({}, { sketch: { servers } });
    expect((await guarded.listen(undefined, '/mcp/open')).status).toBe(200);
    expect((await guarded.listen(undefined)).status).toBe(401);
  });
});

async function strange({ issuer }: Guarded): Promise<string> {
  return issuer.sign({ aud: AUDIENCE, iss: 'https://other.example' });
}

async function forged({ issuer }: Guarded): Promise<string> {
  const { privateKey } = await makeKey();
  return issuer.sign({ aud: AUDIENCE }, { key: { privateKey, jwk: issuer.keys[0]?.jwk ?? {} } });
}

async function unknown({ issuer }: Guarded): Promise<string> {
  return issuer.sign({ aud: AUDIENCE }, { key: await makeKey() });
}

function unsigned({ issuer }: Guarded): string {
  return `${encoded({ alg: 'none' })}.${encoded(claimsOf(issuer.issuer))}.`;
}

function confused({ issuer }: Guarded): string {
  const { kid } = issuer.keys[0]?.jwk ?? {};
  return `${encoded({ alg: 'HS256', kid })}.${encoded(claimsOf(issuer.issuer))}.c2lnbmF0dXJl`;
}

const claimsOf = (iss: string) => ({ iss, aud: AUDIENCE, sub: 'user-1', exp: seconds(600) });
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
