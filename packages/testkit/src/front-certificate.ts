import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram } from './ensure-program.ts';

const run = promisify(execFile);

/** A certificate for 127.0.0.1 and localhost that signs itself: hosts trust `certificate`, load balancers name the files. */
export interface FrontCertificate {
  readonly certificate: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificate and key in one, as HAProxy wants them. */
  readonly pemFile: string;
  close(): Promise<void>;
}

/** Makes one, valid for a day. */
export async function makeFrontCertificate(): Promise<FrontCertificate> {
  const openssl = await ensureProgram('openssl', { apt: 'openssl' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-front-'));
  const [certFile, keyFile, pemFile] = [join(dir, 'front.crt'), join(dir, 'front.key'), join(dir, 'front.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  await run(openssl, ['req', '-x509', ...key, '-out', certFile, '-days', '1', ...names]);
  const certificate = await readFile(certFile, 'utf8');
  await writeFile(pemFile, certificate + (await readFile(keyFile, 'utf8')));
  return { certificate, certFile, keyFile, pemFile, close: () => rm(dir, { recursive: true, force: true }) };
}
