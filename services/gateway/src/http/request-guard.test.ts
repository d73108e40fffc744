import { createGuard } from '@listen-gateway/service-kit';
import { LISTEN_HEADERS, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../../test/raw-host.ts';
import { openGateway } from '../../test/test-gateway.ts';

describe('an instance on loopback', () => {
  it.each([
    'http://evil.example',
    'https://localhost.evil.example',
    '%%%',
    'null',
    '',
    'http://127.0.0.1.evil.example',
  ])('refuses the Origin %j although no list is configured (P-2.9, FIELD B19)', async (origin) => {
    const gateway = await openGateway();
    for (const url of [gateway.url, `${gateway.gateway.url}/elsewhere`]) {
      const answer = await openListen(url, { headers: { Origin: origin } });
      expect(answer.status).toBe(403);
      const body = await answer.json();
      expect(body.error?.code).toBe(-32600);
      expect(body).not.toHaveProperty('id');
    }
  });

  it('lets in requests without an Origin, and pages of loopback itself (P-2.9, FIELD B19)', async () => {
    const gateway = await openGateway();
    for (const origin of [undefined, 'http://localhost:3000', 'http://127.0.0.1:5173', 'http://[::1]:80']) {
      (await gateway.open({ headers: { Origin: origin } })).close();
    }
  });

  it('refuses a Host that is not its own (P-2.9, FIELD B21)', async () => {
    const gateway = await openGateway();
    for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const answer = await openListen(gateway.url, { headers: { Host: host } });
      expect([host, answer.status]).toEqual([host, 403]);
      expect((await answer.json()).error?.message).toContain('http.allowedHosts');
    }
  });

  it('knows its own Host by each name, with and without a port (P-2.9, FIELD B21)', async () => {
    const gateway = await openGateway();
    const { port } = new URL(gateway.url);
    for (const host of [
      'localhost',
      `localhost:${port}`,
      'LOCALHOST',
      '127.0.0.1',
      `127.0.0.1:${port}`,
      '[::1]',
      `[::1]:${port}`,
    ]) {
      (await gateway.open({ headers: { Host: host } })).close();
    }
  });

  it('refuses a request with two Hosts: a hop may have judged the other one (FIELD B21)', async () => {
    const gateway = await openGateway();
    for (const hosts of [
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
    ]) {
      const headers = [...hosts.map((host) => ['Host', host] as const), ...Object.entries(LISTEN_HEADERS)];
      const host = (await RawHost.connect(gateway.url)).send(rawPost({ headers }));
      await host.until(/^HTTP\/1\.1 400 /, 'the refusal');
    }
  });
});

describe('an instance that is configured for its names', () => {
  const http = { allowedHosts: ['mcp.example.com'], allowedOrigins: ['https://app.example'] };

  it('lets in just those, in any letters (P-2.9, FIELD B19, B21)', async () => {
    const gateway = await openGateway({ http });
    const statusOf = async (headers: Record<string, string>) => (await openListen(gateway.url, { headers })).status;

    expect(await statusOf({ Host: 'mcp.example.com' })).toBe(200);
    expect(await statusOf({ Host: 'mcp.example.com:8443', Origin: 'https://APP.example' })).toBe(200);
    expect(await statusOf({ Host: 'localhost' })).toBe(403);
    expect(await statusOf({ Host: 'mcp.example.com', Origin: 'http://localhost' })).toBe(403);
    expect(await statusOf({ Host: 'mcp.example.com', Origin: 'https://app.example.evil.example' })).toBe(403);
    expect(await statusOf({ Host: 'mcp.example.com', Origin: 'https://app.example:8443' })).toBe(403);
  });

  it('lets in no Origin where its list is empty (P-2.9, FIELD B19)', async () => {
    const gateway = await openGateway({ http: { allowedOrigins: [] } });
    const answer = await openListen(gateway.url, { headers: { Origin: 'http://localhost' } });
    expect(answer.status).toBe(403);
  });
});

describe('an instance on every address', () => {
  it.each(['0.0.0.0', '::'])('(%s) lets in any Host and no Origin unless told otherwise (P-2.9, FIELD B19)', (host) => {
    const guard = createGuard({ host, section: 'http' });
    expect(guard({ host: 'mcp.example.com' })).toBe(undefined);
    expect(guard({ host: 'mcp.example.com', origin: 'http://evil.example' })).toContain('Origin');
    expect(guard({ host: 'localhost', origin: 'http://localhost' })).toContain('Origin');
  });
});

describe('a request', () => {
  it('is judged by the Host that it names itself, whatever the ones before named (P-2.9, FIELD B21)', () => {
    const guard = createGuard({ host: '127.0.0.1', section: 'http' });
    const verdicts = ['localhost:1', 'evil.example', 'localhost:1', undefined, '127.0.0.1', 'evil.example'].map(
      (host) => guard({ host }) === undefined,
    );
    expect(verdicts).toEqual([true, false, true, false, true, false]);
    expect(createGuard({ host: '127.0.0.1', section: 'http' })({})).toBeDefined();
  });
});
