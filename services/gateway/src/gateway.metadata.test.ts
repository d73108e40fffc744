import { describe, expect, it } from 'vitest';
import { AUDIENCE, openIssuer } from '../test/guarded-gateway.ts';
import { openGateway } from '../test/test-gateway.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** An instance with two servers that ask for tokens and one that does not. */
async function open(http: object = {}) {
  const issuer = (await openIssuer()).issuer;
  const auth = { issuer, audience: AUDIENCE, scopes: ['mcp:listen'] };
  const servers = { default: { title: 'Acme', auth }, ops: { auth: { ...auth, scopes: [] } }, open: {} };
  const gateway = await openGateway({ servers, http });
  const read = (path: string, init: RequestInit = {}) => fetch(gateway.gateway.url + path, init);
  const json = async (path: string, headers: Record<string, string> = {}) =>
    (await (await read(path, { headers })).json()) as Record<string, unknown>;
  const challenge = async (headers: Record<string, string> = {}) =>
    (await read('/mcp/ops', { method: 'POST', headers })).headers.get('WWW-Authenticate') ?? '';
  return { issuer, url: gateway.gateway.url, read, json, challenge };
}

describe('the metadata of a protected server', () => {
  it.each([WELL_KNOWN, `${WELL_KNOWN}/mcp`, `${WELL_KNOWN}/mcp/default`])(
    'of the default server stands at %s (P-3.2)',
    async (path) => {
      const { issuer, url, json } = await open();
      expect(await json(path)).toEqual({
        resource: `${url}/mcp`,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['mcp:listen'],
        resource_name: 'Acme',
      });
    },
  );

  it('of another stands behind its path, and says nothing of scopes where it needs none (P-3.2)', async () => {
    const { url, json } = await open();
    const metadata = await json(`${WELL_KNOWN}/mcp/ops`);
    expect(metadata).toMatchObject({ resource: `${url}/mcp/ops` });
    expect(metadata).not.toHaveProperty('scopes_supported');
  });

  it('is where the challenge says (P-3.1, P-3.2)', async () => {
    const { challenge, url } = await open();
    const named = /resource_metadata="([^"]+)"/.exec(await challenge())?.[1] ?? '';
    const metadata = (await (await fetch(named)).json()) as Record<string, unknown>;
    expect(metadata.resource).toBe(`${url}/mcp/ops`);
  });

  it.each([`${WELL_KNOWN}/mcp/open`, `${WELL_KNOWN}/mcp/nobody`, `${WELL_KNOWN}/other`, `${WELL_KNOWN}x`])(
    'is not at %s',
    async (path) => {
      const { read } = await open();
      expect((await read(path)).status).toBe(404);
    },
  );

  it('is read from any origin, also after a preflight', async () => {
    const { read } = await open();
    const headers = { Origin: 'https://anywhere.example' };
    const answer = await read(WELL_KNOWN, { headers });
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*']);
    const preflight = await read(WELL_KNOWN, { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.headers.get('Access-Control-Allow-Headers')]).toEqual([204, '*']);
    expect((await read(WELL_KNOWN, { method: 'POST', headers })).status).toBe(405);
    const endpoint = await read('/mcp/open', { method: 'POST', headers });
    expect(endpoint.status, 'which is true of it alone').toBe(403);
  });
});

describe('the public URL', () => {
  it('is that of the configuration, whatever the request says', async () => {
    const { json, challenge } = await open({ publicUrl: 'https://mcp.acme.example/gateway/' });
    const resource = 'https://mcp.acme.example/gateway/mcp/ops';
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' };
    // A proxy may leave its own prefix in the path, or take it off.
    for (const path of [`${WELL_KNOWN}/mcp/ops`, `${WELL_KNOWN}/gateway/mcp/ops`]) {
      expect(await json(path, forged)).toMatchObject({ resource });
    }
    expect(await challenge(forged)).toContain(
      'resource_metadata="https://mcp.acme.example/.well-known/oauth-protected-resource/gateway/mcp/ops"',
    );
  });

  it('is taken from a trusted proxy that terminates TLS (P-3.2)', async () => {
    const { json, challenge } = await open({ trustedProxies: ['127.0.0.0/8'] });
    const told = { 'X-Forwarded-Host': 'mcp.acme.example', 'X-Forwarded-Proto': 'https' };
    expect(await json(`${WELL_KNOWN}/mcp/ops`, told)).toMatchObject({ resource: 'https://mcp.acme.example/mcp/ops' });
    expect(await challenge(told)).toContain('"https://mcp.acme.example/.well-known/oauth-protected-resource/mcp/ops"');
    const chain = { 'X-Forwarded-Host': 'evil.example, mcp.acme.example', 'X-Forwarded-Proto': 'http, https' };
    expect(await json(`${WELL_KNOWN}/mcp/ops`, chain), 'as the nearest of several says').toMatchObject({
      resource: 'https://mcp.acme.example/mcp/ops',
    });
  });

  it('is not taken from anybody else', async () => {
    const { url, json } = await open({ trustedProxies: ['10.0.0.0/8'] });
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    expect(await json(`${WELL_KNOWN}/mcp/ops`, forged)).toMatchObject({ resource: `${url}/mcp/ops` });
  });

  it.each([{ 'X-Forwarded-Proto': 'javascript' }, { 'X-Forwarded-Host': 'a b"c' }, { 'X-Forwarded-Host': '' }])(
    'is a URL even where a trusted proxy says %j',
    async (told) => {
      const { json, challenge } = await open({ trustedProxies: ['127.0.0.1'] });
      expect((await json(`${WELL_KNOWN}/mcp/ops`, told)).resource).toMatch(/^http:\/\/[\w.:]+\/mcp\/ops$/);
      expect(await challenge(told)).toMatch(/resource_metadata="http:\/\/[^"]+"$/);
    },
  );
});

describe('what tokens are made for', () => {
  it.each([
    ['default', 'https://mcp.acme.example/mcp'],
    ['ops', 'https://mcp.acme.example/mcp/ops'],
  ])('is the URL of the server %s where no audience is configured (P-3.1)', async (serverId, audience) => {
    const issuer = await openIssuer();
    const auth = { issuer: issuer.issuer };
    const http = { publicUrl: 'https://mcp.acme.example', allowedHosts: ['127.0.0.1'] };
    const gateway = await openGateway({ servers: { default: { auth }, ops: { auth } }, http });
    const other = serverId === 'ops' ? '/mcp' : '/mcp/ops';
    const status = async (path: string) => {
      const headers = { Authorization: `Bearer ${await issuer.sign({ aud: audience })}` };
      return (await fetch(gateway.gateway.url + path, { method: 'POST', headers })).status;
    };
    expect(await status(new URL(audience).pathname)).toBe(415);
    expect(await status(other)).toBe(401);
  });
});
