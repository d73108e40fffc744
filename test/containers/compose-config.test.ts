import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readShipped } from '../deploy/repository.ts';
import { runDocker } from './run-docker.ts';

/** What docker compose makes of the shipped file, or of another. */
const config = (...args: readonly string[]) => runDocker({ args: ['compose', ...args], limitMs: 30_000 });

describe('docker compose config', { timeout: 60_000 }, () => {
  it('takes the compose file with each of its profiles and with all of them', async () => {
    const profiles = (await config('--profile=*', 'config', '--profiles')).trim().split('\n').filter(Boolean);
    for (const profile of ['', ...profiles, '*']) {
      const printed = await config(`--profile=${profile}`, 'config', '--format=json');
      const { services } = JSON.parse(printed) as { readonly services: Readonly<Record<string, object>> };
      expect(Object.keys(services)).toEqual(expect.arrayContaining(['gateway-1', 'gateway-2', 'nginx', 'publisher']));
    }
  });

  it('would not take a word that it does not know', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-compose-'));
    try {
      const file = join(dir, 'docker-compose.yml');
      await writeFile(file, readShipped('docker-compose.yml').replace('read_only: true', 'unheard_of: true'));
      await expect(config(`--file=${file}`, 'config', '--quiet')).rejects.toThrow('unheard_of');
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
