import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram } from './ensure-program.ts';

const run = promisify(execFile);

/** Files of a certificate authority of this test alone, and of what it signed. */
export interface RedisCertificates {
  readonly caFile: string;
  /** Of a client that the authority vouches for. */
  readonly client: { readonly certFile: string; readonly keyFile: string };
  /** For a redis-server: it is `redis.test` and 127.0.0.1, and lets in only clients with a certificate. */
  readonly serverArguments: readonly string[];
  close(): Promise<void>;
}

/** Makes them, valid for a day. */
export async function makeRedisCertificates(): Promise<RedisCertificates> {
  const openssl = await ensureProgram('openssl', { apt: 'openssl' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-tls-'));
  const file = (name: string) => join(dir, name);
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    name,
  ];
  await run(openssl, ['req', '-x509', ...key(file('ca.key')), '-out', file('ca.crt'), '-days', '1', '-subj', '/CN=ca']);
  for (const name of ['server', 'client']) {
    const [request, extensions] = [file(`${name}.csr`), file(`${name}.ext`)];
    await writeFile(extensions, 'subjectAltName=DNS:redis.test,IP:127.0.0.1\n');
    await run(openssl, ['req', ...key(file(`${name}.key`)), '-out', request, '-subj', `/CN=${name}`]);
    const authority = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial'];
    const signed = ['-out', file(`${name}.crt`), '-days', '1', '-extfile', extensions];
    await run(openssl, ['x509', '-req', '-in', request, ...authority, ...signed]);
  }
  const server = ['--tls-cert-file', file('server.crt'), '--tls-key-file', file('server.key')];
  return {
    caFile: file('ca.crt'),
    client: { certFile: file('client.crt'), keyFile: file('client.key') },
    serverArguments: [...server, '--tls-ca-cert-file', file('ca.crt'), '--tls-auth-clients', 'yes'],
    close: () => rm(dir, { recursive: true, force: true }),
  };
}
