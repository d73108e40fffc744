import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@listen-gateway/service-kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gatewayConfig, secretOf } from './config.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What is wrong with a configuration, as the service says it at its start. */
function problemsOf(config: object): readonly string[] {
  const sources = { argv: ['--config=x'], env: {}, readFile: () => JSON.stringify(config) };
  const loaded = loadConfig(gatewayConfig, sources);
  return loaded.ok ? [] : loaded.problems;
}

const ISSUER = 'https://id.acme.example';
const OTHER = 'https://id.other.example';
const http = { publicUrl: 'https://mcp.acme.example' };
const withAuth = (auth: object, rest: object = { http }) => problemsOf({ servers: { default: { auth } }, ...rest });
const introspecting = (clientSecretVariable: string) => ({
  issuers: [
    { issuer: ISSUER, introspection: { url: `${ISSUER}/introspect`, clientId: 'gateway', clientSecretVariable } },
  ],
});

describe('the settings of authentication', () => {
  it.each([
    { issuer: ISSUER },
    { issuer: 'http://127.0.0.1:9000' },
    { issuer: 'http://localhost:9000/tenant' },
    { issuers: [{ issuer: ISSUER, jwksUrl: `${ISSUER}/keys`, algorithms: ['ES256'] }] },
    {
      issuers: [
        { issuer: ISSUER, subjectPrefix: 'acme:' },
        { issuer: OTHER, subjectPrefix: 'other:' },
      ],
    },
    { issuer: ISSUER, audience: 'https://mcp.acme.example/mcp', scopes: ['mcp:listen'], clockSkewS: 0 },
  ])('are taken: %j', (auth) => {
    expect(withAuth(auth)).toEqual([]);
  });

  it.each<[object, string, RegExp]>([
    [{}, 'issuer', /needed/],
    [{ issuers: [] }, 'issuers', /./],
    [{ issuer: ISSUER, issuers: [{ issuer: OTHER }] }, 'issuer', /contradicts/],
    [{ issuer: 'http://id.acme.example' }, 'issuer', /https/],
    [{ issuer: 'id.acme.example' }, 'issuer', /https/],
    [{ issuer: 'http://127.0.0.1.evil.example' }, 'issuer', /https/],
    [{ issuer: 'https://user:pass@id.acme.example' }, 'issuer', /./],
    [{ issuers: [{ issuer: ISSUER, jwksUrl: 'http://id.acme.example/keys' }] }, 'issuers.0.jwksUrl', /https/],
    [{ issuers: [{ issuer: ISSUER, algorithms: ['none'] }] }, 'issuers.0.algorithms.0', /./],
    [{ issuers: [{ issuer: ISSUER, algorithms: ['HS256'] }] }, 'issuers.0.algorithms.0', /./],
    [{ issuers: [{ issuer: ISSUER, algorithms: [] }] }, 'issuers.0.algorithms', /./],
    [{ issuers: [{ issuer: ISSUER, key: 1 }] }, 'issuers.0', /key/],
    [{ issuers: [{ issuer: ISSUER }, { issuer: OTHER }] }, 'issuers.0.subjectPrefix', /differ/],
    [{ issuers: [{ issuer: ISSUER, subjectPrefix: 'a:' }, { issuer: OTHER }] }, 'issuers.1.subjectPrefix', /differ/],
    [
      {
        issuers: [
          { issuer: ISSUER, subjectPrefix: 'a' },
          { issuer: OTHER, subjectPrefix: 'ab' },
        ],
      },
      'issuers.0.subjectPrefix',
      /begin/,
    ],
    [
      {
        issuers: [
          { issuer: ISSUER, subjectPrefix: 'a' },
          { issuer: ISSUER, subjectPrefix: 'b' },
        ],
      },
      'issuers.1.issuer',
      /twice/,
    ],
    [introspecting('LG_TEST_NO_SUCH_SECRET'), 'issuers.0.introspection.clientSecretVariable', /is not set/],
    [{ issuer: ISSUER, scopes: ['a b'] }, 'scopes.0', /scope/],
    [{ issuer: ISSUER, scopes: ['a"b'] }, 'scopes.0', /scope/],
    [{ issuer: ISSUER, clockSkewS: 3_600 }, 'clockSkewS', /./],
  ])('are refused by key: %j', (auth, key, why) => {
    const problems = withAuth(auth);
    const named = problems.filter((problem) => problem.startsWith(`servers.default.auth.${key}: `));
    expect(named, problems.join('\n')).not.toEqual([]);
    expect(named.some((problem) => why.test(problem))).toBe(true);
  });

  it('need an audience where there is no public URL that could be one', () => {
    expect(withAuth({ issuer: ISSUER }, {})).toEqual([
      expect.stringMatching(/^servers\.default\.auth\.audience: is needed where http\.publicUrl is not set/),
    ]);
    expect(withAuth({ issuer: ISSUER, audience: 'urn:acme' }, {})).toEqual([]);
  });

  it('take secrets from the environment, or from the file that it names, and tell none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secret-'));
    writeFileSync(join(folder, 'secret'), 'hush\n');
    vi.stubEnv('LG_TEST_SECRET_FILE', join(folder, 'secret'));
    expect(secretOf('LG_TEST_SECRET')).toBe('hush');
    expect(withAuth(introspecting('LG_TEST_SECRET'))).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(withAuth(introspecting('LG_TEST_SECRET')).join()).not.toContain('hush');
    expect(withAuth(introspecting('LG_TEST_SECRET'))).toHaveLength(1);
    vi.stubEnv('LG_TEST_SECRET', 'hush');
    expect(withAuth(introspecting('LG_TEST_SECRET'))).toEqual([]);
  });

  it.each([
    [{ trustedProxies: ['proxy.example'] }, 'http.trustedProxies.0'],
    [{ trustedProxies: ['10.0.0.0/64'] }, 'http.trustedProxies.0'],
    [{ publicUrl: 'mcp.acme.example' }, 'http.publicUrl'],
    [{ publicUrl: 'https://mcp.acme.example/?a=1' }, 'http.publicUrl'],
  ])('say what is wrong with http: %j', (settings, key) => {
    expect(problemsOf({ http: settings }).some((problem) => problem.startsWith(`${key}: `))).toBe(true);
  });
});

describe('a gateway that strangers can reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.7', 'gateway.acme.example'])(
    'on %s does not start without authentication',
    (host) => {
      const problems = problemsOf({
        listen: { host },
        servers: { default: { auth: { issuer: ISSUER } }, ops: {} },
        http,
      });
      expect(problems).toEqual([expect.stringMatching(/^listen\.host: .*nobody is asked who they are at: ops\./)]);
      expect(problems[0]).toContain('http.exposeWithoutAuthentication');
    },
  );

  it('starts where each server has it, or where it is told that everybody may come', () => {
    const listen = { host: '0.0.0.0' };
    expect(problemsOf({ listen, servers: { default: { auth: { issuer: ISSUER } } }, http })).toEqual([]);
    expect(problemsOf({ listen, http: { exposeWithoutAuthentication: true } })).toEqual([]);
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('is none on %s, where nothing need be configured', (host) => {
    expect(problemsOf({ listen: { host } })).toEqual([]);
  });
});
