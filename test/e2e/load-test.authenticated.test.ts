import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '@listen-gateway/service-publisher';
import {
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
  TestIssuer,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLoadTool } from './load-tool.ts';

const AUDIENCE = 'https://mcp.acme.example/mcp/acme';
const { key, sha256 } = newApiKey();

let dir: string;
let redis: RedisProcess;
let issuer: TestIssuer;
let gateway: ServiceProcess;
let publisher: ServiceProcess;

beforeAll(async () => {
  [dir, redis, issuer] = await Promise.all([
    mkdtemp(join(tmpdir(), 'listen-gateway-load-')),
    openRedisProcess(),
    TestIssuer.start(),
  ]);
  const policy = [{ scopes: [], uris: ['load:/**'] }];
  const env = {
    LG_BROKER__URL: redis.url,
    LG_SERVERS: JSON.stringify({ acme: { auth: { issuer: issuer.issuer, audience: AUDIENCE, policy } } }),
    LG_LIMITS__STREAMS_PER_PRINCIPAL: '5',
    LG_PUBLISHER__AUTH__KEYS: JSON.stringify([{ id: 'load', sha256 }]),
  };
  [gateway, publisher] = await Promise.all([startService('gateway', env), startService('publisher', env)]);
  const tokens = await Promise.all(['ann', 'bob'].map((sub) => issuer.sign({ aud: AUDIENCE, sub })));
  await writeFile(join(dir, 'tokens'), `${tokens.join('\n')}\n`);
  await writeFile(join(dir, 'token'), `${tokens[0]}\n`);
  await writeFile(join(dir, 'key'), `${key}\n`);
}, 300_000);
afterAll(async () => {
  await Promise.all([gateway.kill(), publisher.kill()]);
  await Promise.all([redis.close(), issuer.close()]);
  await rm(dir, { recursive: true, force: true });
});

function run(files: { readonly tokens?: string; readonly key?: string }, ...flags: readonly string[]) {
  const credentials = Object.entries({ 'token-file': files.tokens, 'publisher-token-file': files.key }).flatMap(
    ([flag, name]) => (name === undefined ? [] : [`--${flag}=${join(dir, name)}`]),
  );
  const pace = ['--streams=10', '--rate=2', '--seconds=2', '--opens-per-second=10', '--within-ms=20000'];
  const where = [`--gateway=${gateway.url}`, `--publisher=${publisher.url}`, '--server=acme'];
  return runLoadTool([...where, ...pace, ...credentials, ...flags]);
}

describe('npm run bench:load where hosts and publishers are authenticated', { timeout: 120_000 }, () => {
  it('shows the tokens of hosts in turn, and that of the publisher', async () => {
    const { exitCode, output } = await run({ tokens: 'tokens', key: 'key' });

    expect(output).toContain('40 delivered, 0 missed');
    expect(exitCode).toBe(0);
  });

  it('says that one token is not enough for so many streams', async () => {
    const { exitCode, output } = await run({ tokens: 'token', key: 'key' });

    expect(output).toMatch(/the gateway answered 429: .*principal-full/);
    expect(exitCode).toBe(2);
  });

  it('says that hosts need a token', async () => {
    const { exitCode, output } = await run({ key: 'key' });

    expect(output).toContain('the gateway answered 401');
    expect(exitCode).toBe(2);
  });

  it('tells of publishes that were refused, and how', async () => {
    const { exitCode, output } = await run({ tokens: 'tokens' });

    expect(output).toContain('0 published, 2 a second; 4 refused');
    expect(output).toMatch(/^4 times: the publisher answered 401: .*unauthenticated/m);
    expect(exitCode).toBe(1);
  });

  it('gives up where hosts may not watch what it publishes', async () => {
    const { exitCode, output } = await run({ tokens: 'tokens', key: 'key' }, '--uri-prefix=secret:/');

    expect(output).toMatch(/only 0 of \d+ URIs were honored: .*--uri-prefix/);
    expect(exitCode).toBe(2);
  });
});
