import { request } from 'node:http';
import { UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { AUDIENCE, type Claims, PublisherIssuer } from '../test/publisher-issuer.ts';
import { PROMPTS, problem, resource, TestPublisher, TOOLS } from '../test/test-publisher.ts';
import { newApiKey } from './auth/api-key.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(sketch: object): Promise<TestPublisher> {
  const lab = await new TestPublisher().start(sketch);
  open.push(lab);
  await lab.listen();
  return lab;
}

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
const logOf = (lab: TestPublisher) => JSON.stringify(lab.logged);

describe('a publisher with API keys', () => {
  const [all, acme, lists] = [newApiKey(), newApiKey(), newApiKey()];
  const auth = {
    keys: [
      { id: 'all', sha256: all.sha256 },
      { id: 'acme', sha256: acme.sha256, servers: ['acme'] },
      { id: 'lists', sha256: lists.sha256, kinds: ['tools', 'prompts'] },
    ],
  };

  it('refuses who has none, and who has another, before anything is read', async () => {
    const lab = await start({ auth });
    for (const headers of [{}, bearer('lgp_x'), { Authorization: 'Basic YTpi' }, bearer(all.sha256), bearer('')]) {
      const answer = await lab.request('default', { method: 'POST', headers, body: '{' });
      expect(answer).toMatchObject(problem(401, 'unauthenticated'));
      expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
    }
    expect(await lab.metric('lg_publish_requests_total{outcome="unauthenticated"}')).toBe(5);
    expect(lab.listener.heard).toEqual([]);
  });

  it('lets each publish where and what it is good for, and names what is missing', async () => {
    const lab = await start({ auth });
    expect((await lab.post(TOOLS, bearer(all.key))).status).toBe(202);
    expect((await lab.post(TOOLS, bearer(acme.key), 'acme')).status).toBe(202);
    const elsewhere = await lab.post(TOOLS, bearer(acme.key));
    expect(elsewhere).toMatchObject(problem(403, 'not-permitted'));
    expect(elsewhere.json.detail).toContain('the server "default"');
    expect((await lab.post({ changes: [TOOLS, PROMPTS] }, bearer(lists.key))).status).toBe(202);
    const other = await lab.post({ changes: [TOOLS, resource('a')] }, bearer(lists.key));
    expect(other).toMatchObject(problem(403, 'not-permitted'));
    expect(other.json.detail).toContain('the kind "resource"');
    expect(lab.listener.heard).toHaveLength(3);
  });

  it('tells whoever may not publish on a server nothing of whether there is one', async () => {
    const lab = await start({ auth });
    const answers = await Promise.all(['quiet', 'nowhere'].map((id) => lab.post(TOOLS, bearer(acme.key), id)));
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });

  it('logs who published how many of what, and neither payloads nor secrets', async () => {
    const lab = await start({ auth });
    await lab.post({ changes: [resource('secret://a'), resource('secret://b'), TOOLS] }, bearer(all.key));
    await lab.post(TOOLS, bearer('lgp_wrong'));
    const taken = lab.logged.filter(({ level }) => level === 'info');
    expect(taken).toEqual([
      expect.objectContaining({
        msg: 'changes published',
        publisher: 'key:all',
        serverId: 'default',
        kinds: { resource: 2, tools: 1 },
      }),
    ]);
    for (const hidden of ['secret://', all.key, 'lgp_wrong', all.sha256]) expect(logOf(lab)).not.toContain(hidden);
  });

  it('keeps the idempotency keys of one apart from those of another', async () => {
    const lab = await start({ auth });
    const own = (key: string) => ({ ...bearer(key), 'Idempotency-Key': 'order-17' });
    expect((await lab.post(TOOLS, own(all.key))).status).toBe(202);
    expect((await lab.post(PROMPTS, own(lists.key))).status).toBe(202);
    expect((await lab.post(TOOLS, own(all.key))).headers.get('Idempotency-Replayed')).toBe('true');
    expect(await lab.post(PROMPTS, own(all.key))).toMatchObject(problem(422, 'idempotency-key-reused'));
    expect(lab.listener.heard).toHaveLength(2);
  });

  it('still says what it speaks to anybody', async () => {
    const lab = await start({ auth });
    expect((await fetch(`${lab.publisher.url}/openapi.json`)).status).toBe(200);
  });
});

describe('a publisher with an issuer of tokens', () => {
  async function startWithIssuer(): Promise<{ lab: TestPublisher; issuer: PublisherIssuer }> {
    const issuer = await PublisherIssuer.open();
    open.push(issuer);
    return { lab: await start({ auth: { jwt: issuer.config } }), issuer };
  }

  it('lets a token with the scope publish, on the servers that it names if it names any', async () => {
    const { lab, issuer } = await startWithIssuer();
    expect((await lab.post(TOOLS, bearer(await issuer.token()))).status).toBe(202);
    const narrow = bearer(await issuer.token({ servers: ['acme'], scope: 'a lg:publish b' }));
    expect((await lab.post(TOOLS, narrow, 'acme')).status).toBe(202);
    expect(await lab.post(TOOLS, narrow)).toMatchObject(problem(403, 'not-permitted'));
    expect(lab.logged.filter(({ level }) => level === 'info')).toMatchObject([
      { publisher: 'token:erp' },
      { publisher: 'token:erp' },
    ]);
  });

  it('refuses a token without the scope with 403, naming it', async () => {
    const { lab, issuer } = await startWithIssuer();
    for (const scope of [undefined, '', 'lg:publish2', 'lg']) {
      const answer = await lab.post(TOOLS, bearer(await issuer.token({ scope })));
      expect(answer).toMatchObject(problem(403, 'not-permitted'));
      expect(answer.json.detail).toContain('lg:publish');
      expect(answer.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
    }
  });

  it('refuses every other token with 401', async () => {
    const { lab, issuer } = await startWithIssuer();
    const past = Math.floor(Date.now() / 1_000) - 60;
    const claims: Claims[] = [
      { exp: past },
      { exp: undefined },
      { aud: 'x' },
      { iss: 'x' },
      { sub: undefined },
      { nbf: past + 600 },
    ];
    const tokens = await Promise.all(
      [...claims, { servers: 'acme' }, { servers: [1] }].map((one) => issuer.token(one)),
    );
    const stranger = await PublisherIssuer.open();
    open.push(stranger);
    tokens.push(await stranger.token({ iss: issuer.url }));
    tokens.push(
      new UnsecuredJWT({ sub: 'erp', scope: 'lg:publish', iss: issuer.url, aud: AUDIENCE })
        .setExpirationTime('1h')
        .encode(),
    );
    tokens.push('a.b.c', `${(await issuer.token()).slice(0, -3)}abc`);
    for (const token of tokens) {
      expect(await lab.post(TOOLS, bearer(token))).toMatchObject(problem(401, 'unauthenticated'));
      if (token !== 'a.b.c') expect(logOf(lab)).not.toContain(token);
    }
    expect(lab.listener.heard).toEqual([]);
  });

  it('answers 503 while the keys cannot be had, and lets nobody in', async () => {
    const { lab, issuer } = await startWithIssuer();
    issuer.up = false;
    const answer = await lab.post(TOOLS, bearer(await issuer.token()));
    expect(answer).toMatchObject(problem(503, 'issuer-unavailable'));
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/);
    issuer.up = true;
    expect((await lab.post(TOOLS, bearer(await issuer.token()))).status).toBe(202);
  });
});

describe('a publisher that authenticates nobody', () => {
  it.each(['0.0.0.0', '::', '10.0.0.1', 'publisher.internal'])(
    'does not start on %s, and names the setting that lets it',
    async (host) => {
      await expect(new TestPublisher().start({ host })).rejects.toThrow('publisher.exposeWithoutAuthentication');
    },
  );

  it('starts there where it is told to', async () => {
    const lab = await start({ host: '0.0.0.0', exposeWithoutAuthentication: true });
    expect(lab.publisher.readiness().ready).toBe(true);
  });

  it('refuses on loopback what a page could send through a name of its own (FIELD B21)', async () => {
    const lab = await start({});
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const asking = request(lab.url(), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
        });
        asking.on('response', (response) => resolve(response.resume().statusCode));
        asking.end(JSON.stringify(TOOLS));
      });
    expect(await statusOf({})).toBe(202);
    expect(await statusOf({ Host: 'localhost:8081' })).toBe(202);
    expect(await statusOf({ Host: 'evil.example' })).toBe(403);
    expect(await statusOf({ Origin: 'http://evil.example' })).toBe(403);
    expect(await lab.metric('lg_publish_requests_total{outcome="host-not-allowed"}')).toBe(2);
  });
});

describe('a publisher that publishes too fast', () => {
  it('is refused by itself, by requests and by changes, until it has waited', async () => {
    const [one, other] = [newApiKey(), newApiKey()];
    const keys = [
      { id: 'one', sha256: one.sha256 },
      { id: 'other', sha256: other.sha256 },
    ];
    const lab = await start({ auth: { keys }, limits: { requestsPerSecond: 1, changesPerSecond: 100 } });
    const thousand = { changes: Array(1_000).fill(TOOLS) };
    expect((await lab.post(thousand, bearer(one.key))).status).toBe(202);
    const refused = await lab.post(TOOLS, bearer(one.key));
    expect(refused).toMatchObject(problem(429, 'too-many-requests'));
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(2);
    for (let n = 0; n < 10; n += 1) expect((await lab.post(TOOLS, bearer(other.key))).status).toBe(202);
    expect((await lab.post(TOOLS, bearer(other.key))).status).toBe(429);
    expect(await lab.metric('lg_publish_requests_total{outcome="too-many-requests"}')).toBe(2);
  });
});

describe('what a publisher answers', () => {
  it('is kept by nobody and taken for nothing else', async () => {
    const lab = await start({});
    for (const answer of [await lab.post(TOOLS), await lab.post({})]) {
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(answer.headers.get('X-Frame-Options')).toBe('DENY');
      expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
    }
  });
});
