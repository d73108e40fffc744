import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService, within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { CALL, legacyMessage, message, openProxy, type Sent, send } from '../test/proxied-host.ts';
import { StubUpstream } from '../test/stub-upstream.ts';
import { gatewayConfig } from './config.ts';

const SECRET = 'Bearer s3cr3t-of-the-gateway';
const OF_HOST = 'Bearer s3cr3t-of-the-host';
const MAIN = join(import.meta.dirname, 'main.ts');
const services: ServiceProcess[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.kill();
});

const serversWith = (upstream: object) => ({ default: { upstream } });
const withCredential = (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, Authorization: OF_HOST } });

/** Runs the gateway to its end, as it does where its configuration cannot be used. */
async function exitOf(servers: object, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--conditions=listen-gateway', MAIN], {
    env: { LG_SERVERS: JSON.stringify(servers), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await within(20_000, 'the end of the gateway', once(child, 'close'));
  return { code: code as number | null, output };
}

describe('the credential of a host', () => {
  const everything: readonly Sent[] = [
    CALL,
    message('server/discover', {}, 'D1'),
    message('notifications/progress', {}, null),
    legacyMessage({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }),
    { method: 'GET', headers: { Accept: 'text/event-stream' } },
    { method: 'DELETE', headers: { 'Mcp-Session-Id': 'abc' } },
  ];

  it('goes nowhere unless it is configured to, whatever the host sends (P-3.4)', async () => {
    const upstream = await StubUpstream.open();
    const { url, log } = await openProxy(upstream.url);
    for (const sent of everything) await (await send(url, withCredential(sent)).answer()).end();
    expect(upstream.requests).toHaveLength(everything.length);
    expect(upstream.requests.flatMap((request) => request.values('authorization'))).toEqual([]);
    expect(JSON.stringify([upstream.requests.map(({ rawHeaders }) => rawHeaders), log])).not.toContain('s3cr3t');
  });

  it('goes to the upstream that is its audience (P-3.4)', async () => {
    const upstream = await StubUpstream.open();
    const { url, log } = await openProxy(upstream.url, { authorization: 'pass' });
    for (const sent of everything) await (await send(url, withCredential(sent)).answer()).end();
    await (await send(url, CALL).answer()).end();
    const seen = upstream.requests.map((request) => request.values('authorization'));
    expect(seen).toEqual([...everything.map(() => [OF_HOST]), []]);
    expect(JSON.stringify(log)).not.toContain('s3cr3t');
  });
});

// Each starts the gateway as a process.
describe('a credential of the configuration', { timeout: 60_000 }, () => {
  it('replaces that of every host, and is neither printed nor logged nor measured (P-3.4, FIELD F17)', async () => {
    const upstream = await StubUpstream.open();
    const servers = serversWith({ url: upstream.url, authorization: 'replace', credentialVariable: 'UPSTREAM_SECRET' });
    const env = { LG_SERVERS: JSON.stringify(servers), UPSTREAM_SECRET: SECRET, LG_LOG__LEVEL: 'trace' };
    const gateway = await startService('gateway', env);
    services.push(gateway);
    const url = `${gateway.url}/mcp`;
    for (const sent of [CALL, withCredential(CALL), withCredential(message('server/discover'))]) {
      await (await send(url, sent).answer()).end();
    }
    expect(upstream.requests.map((request) => request.values('authorization'))).toEqual([[SECRET], [SECRET], [SECRET]]);
    await upstream.close();
    expect((await send(url, withCredential(CALL)).answer()).status).toBe(502);
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
    expect(gateway.output).toContain('upstream failed');
    expect(gateway.output + metrics).not.toContain('s3cr3t');
  });

  it('may end in a line end, and may stand in a file (P-3.4)', async () => {
    const upstream = await StubUpstream.open();
    const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-secret-'));
    const file = join(dir, 'secret');
    await writeFile(file, `${SECRET}\n`);
    const servers = serversWith({ url: upstream.url, authorization: 'replace', credentialVariable: 'UPSTREAM_SECRET' });
    const start = (env: Readonly<Record<string, string>>) =>
      startService('gateway', { LG_SERVERS: JSON.stringify(servers), ...env });
    services.push(
      ...(await Promise.all([start({ UPSTREAM_SECRET: `${SECRET}\n` }), start({ UPSTREAM_SECRET_FILE: file })])),
    );
    for (const { url } of services) expect((await send(`${url}/mcp`, CALL).answer()).status).toBe(200);
    expect(upstream.requests.map((request) => request.values('authorization'))).toEqual([[SECRET], [SECRET]]);
    await rm(dir, { recursive: true });
  });

  it.each([
    ['is not set', { credentialVariable: 'UPSTREAM_SECRET' }, {}],
    ['is empty', { credentialVariable: 'UPSTREAM_SECRET' }, { UPSTREAM_SECRET: '' }],
    ['is not named', {}, {}],
  ])('whose variable %s is found missing at the start, by the key of the setting', async (_, settings, env) => {
    const upstream = { url: 'http://127.0.0.1:1/mcp', authorization: 'replace', ...settings };
    const { code, output } = await exitOf(serversWith(upstream), { ...env, OTHER: SECRET });
    expect(code).toBe(2);
    expect(output).toMatch(/servers\.default\.upstream\.credentialVariable: /);
    expect(output).not.toContain('s3cr3t');
  });

  it.each(['off', 'pass', undefined])('is not asked for where authorization is %s', (authorization) => {
    const upstream = { url: 'http://127.0.0.1:1/mcp', ...(authorization !== undefined && { authorization }) };
    expect(gatewayConfig.safeParse({ servers: serversWith(upstream) }).success).toBe(true);
  });
});

describe('the settings of an upstream', () => {
  it.each([
    [{ url: 'ftp://a.example/mcp' }, 'url'],
    [{ url: 'a.example/mcp' }, 'url'],
    [{ url: 'http://a.example/mcp', authorization: 'Pass' }, 'authorization'],
    [{ url: 'http://a.example/mcp', connectTimeoutMs: 0 }, 'connectTimeoutMs'],
    [{ url: 'http://a.example/mcp', headTimeoutMs: 1.5 }, 'headTimeoutMs'],
    [{}, 'url'],
  ])('%j are refused by key', (upstream, key) => {
    const parsed = gatewayConfig.safeParse({ servers: serversWith(upstream) });
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([`servers.default.upstream.${key}`]);
  });
});
