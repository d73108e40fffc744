import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram, type FrontCertificate, INSTALL_MS, makeFrontCertificate } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../deploy/repository.ts';
import { type Site, VARIANTS } from './balancer.ts';
import { caddyfile } from './caddy.ts';
import { haproxyConfig } from './haproxy.ts';
import { nginxDocker, nginxMain, nginxSite, nginxTls } from './nginx.ts';

const run = promisify(execFile);
let certificate: FrontCertificate;
let dir: string;
let site: Site;

beforeAll(async () => {
  certificate = await makeFrontCertificate();
  dir = await mkdtemp(join(tmpdir(), 'listen-gateway-parse-'));
  site = { certificate, port: 8443, gateways: { port: 8080, adminPort: 9090 }, servers: { port: 3000 } };
}, INSTALL_MS);
afterAll(async () => {
  await certificate.close();
  await rm(dir, { recursive: true, force: true });
});

const put = async (name: string, text: string) => {
  await writeFile(join(dir, name), text);
  return join(dir, name);
};

/** What a program says of a configuration, with its exit code. */
async function verdict(
  program: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly said: string }> {
  const env = { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  return run(await ensureProgram(program, { apt: program === 'nginx' ? 'nginx-light' : program }), [...args], {
    env,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
}

const checkHaproxy = async (text: string) => verdict('haproxy', ['-c', '-f', await put('haproxy.cfg', text)]);
const checkCaddy = async (text: string) =>
  verdict('caddy', ['validate', '--adapter', 'caddyfile', '--config', await put('Caddyfile', text)]);
const checkNginx = async (text: string) => {
  await put('tls.conf', nginxTls(site));
  await put('site.conf', text);
  return verdict('nginx', ['-t', '-c', await put('nginx.conf', nginxMain(dir)), '-p', dir]);
};

describe.each(VARIANTS)('the shipped file %s', { timeout: 20_000 + INSTALL_MS }, (variant) => {
  it.each([
    ['nginx', checkNginx, () => nginxSite(variant, site)],
    ['HAProxy', checkHaproxy, () => haproxyConfig(variant, site)],
    ['Caddy', checkCaddy, () => caddyfile(variant, site)],
  ] as const)(
    'is taken by %s without a warning, and would not be with a word that it does not know',
    async (_, check, text) => {
      const { code, said } = await check(text());
      expect(code, said).toBe(0);
      // The certificate of the test has no responder, which is nothing of the file's.
      const warnings = said.split('\n').filter((line) => /warn/i.test(line) && !line.includes('OCSP'));
      expect(warnings).toEqual([]);
      expect((await check(`unheard_of word\n${text()}`)).code).not.toBe(0);
    },
  );
});

describe('the shipped nginx file for containers', { timeout: 20_000 + INSTALL_MS }, () => {
  it('is taken by nginx without a warning, and would not be with a time that is none', async () => {
    const { code, said } = await checkNginx(nginxDocker());
    expect(code, said).toBe(0);
    expect(said).not.toMatch(/warn/i);
    const { said: refused } = await checkNginx(nginxDocker().replace('valid=1s', 'valid=soon'));
    expect(refused).toContain('invalid');
  });
});

describe('the folders of the load balancers', () => {
  it('hold no file that none of these tests parses', async () => {
    const shipped = ['nginx', 'haproxy', 'caddy', 'envoy'].map((name) => readdir(join(REPOSITORY, 'deploy', name)));
    expect((await Promise.all(shipped)).map((names) => names.sort())).toEqual([
      ['docker.conf', 'listen-gateway.conf', 'nginx.conf', 'split.conf', 'tls.conf'],
      ['listen-gateway.cfg', 'split.cfg'],
      ['listen-gateway.Caddyfile', 'split.Caddyfile'],
      ['listen-gateway.yaml', 'split.yaml'],
    ]);
  });
});
