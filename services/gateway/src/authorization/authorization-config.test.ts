import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_SECTIONS, loadConfig } from '@listen-gateway/service-kit';
import { describe, expect, it } from 'vitest';
import { gatewayConfig } from '../config.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'security', 'authorization.md');

const load = (file: string) =>
  loadConfig(
    gatewayConfig,
    { argv: ['--config=x'], env: {}, readFile: () => file },
    { otherSections: CONFIG_SECTIONS },
  );

/** What is wrong with these settings of `servers.acme.auth`, by key beneath it. */
function problems(settings: object): readonly string[] {
  const auth = { issuer: 'https://id.acme.example', audience: 'https://mcp.acme.example/mcp/acme', ...settings };
  const loaded = load(JSON.stringify({ servers: { acme: { auth } } }));
  return loaded.ok
    ? []
    : loaded.problems.map((problem) => problem.replace('servers.acme.auth.', '').split(' (')[0] ?? '');
}

describe('the settings of authorization', () => {
  it('are taken as docs/security/authorization.md shows them', () => {
    const block = readFileSync(DOCUMENT, 'utf8').split('```yaml\n')[1]?.split('```')[0] ?? '';
    const loaded = load(block);
    expect(loaded.ok || loaded.problems).toBe(true);
    const [auth] = loaded.ok ? [...loaded.config.servers.values()].map((server) => server.auth) : [];
    expect(auth).toMatchObject({
      claims: { lists: 'mcp_lists' },
      policy: [{ scopes: ['orders:read'], uris: ['order://acme/**'] }],
      authorizer: { claims: ['tenant'], timeoutMs: 2_000, ttlMs: 5_000 },
    });
  });

  it('are told what is wrong with them at the start, by key and all at once', () => {
    expect(
      problems({
        claims: { uri: 'x', lists: '' },
        policy: [
          { uris: ['file:///a/*', 'file:///**/b', 'file:///a/**'], lists: ['task'], taskIds: [''] },
          { scope: 'x' },
        ],
        authorizer: { url: 'file:///etc/passwd', timeoutMs: 0, ttlMs: -1 },
      }).map((problem) => problem.split(':')[0]),
    ).toEqual([
      'claims.uri',
      'claims.lists',
      'policy.0.lists.0',
      'policy.0.uris.0',
      'policy.0.uris.1',
      'policy.0.taskIds.0',
      'policy.1',
      'authorizer.url',
      'authorizer.timeoutMs',
      'authorizer.ttlMs',
    ]);
  });

  it('name a credential that is in the environment', () => {
    const authorizer = { url: 'http://orders:3000/authorize', credentialVariable: 'NOWHERE_AT_ALL' };
    expect(problems({ authorizer })).toEqual([
      'authorizer.credentialVariable: NOWHERE_AT_ALL is not set in the environment',
    ]);
  });

  it.each([
    { claims: {} },
    { authorizer: { url: 'http://gateway:secret@orders:3000/' } },
    { policy: [] },
    { authorizer: {} },
    { policy: {} },
    { claims: [] },
  ])('are not %j', (settings) => {
    expect(problems(settings)).toHaveLength(1);
  });
});
