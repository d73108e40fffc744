import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type ServiceProcess, startService, within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Runs the publisher until it ends by itself. */
async function run(...argv: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=listen-gateway', MAIN, ...argv], { env: {} });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk);
  });
  try {
    const [code] = await within(10_000, 'the end of the publisher', once(child, 'close'));
    return { code, ...output };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('the publisher process', () => {
  let service: ServiceProcess | undefined;
  afterEach(() => service?.kill());

  it('serves the API and, on a port of its own, health and metrics; a SIGTERM ends it with 0', async () => {
    service = await startService('publisher');
    const response = await fetch(`${service.url}/v1/servers/default/changes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"method":"notifications/tools/list_changed"}',
    });
    expect(response.status).toBe(202);
    expect(await service.metric('lg_publish_requests_total{outcome="published"}')).toBe(1);
    expect((await fetch(`${service.adminUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${service.url}/livez`)).status).toBe(404);
    service.signal('SIGTERM');
    expect(await service.ended(5_000)).toBe(0);
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('explains its settings with --help', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--publisher.port=');
  });

  it('names every wrong setting and ends with 2 before anything opens', async () => {
    const { code, stderr, stdout } = await run('--publisher.port=x', '--broker.uri=y');
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'publisher: the configuration cannot be used:',
      '  --broker.uri: no such flag; did you mean "--broker.url"?',
      '  publisher.port: must be a number (--publisher.port)',
      '',
    ]);
    expect(stdout).toBe('');
  });

  it('says in one line that its port is taken, and ends with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stdout, stderr } = await run(`--publisher.port=${port}`, '--log.level=error');
    other.close();
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!).err.message).toContain(`cannot listen on 127.0.0.1:${port}: the address is in use`);
  });
});
