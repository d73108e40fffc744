import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { ensureUnpackedProgram, unpackProgram } from './unpacked-program.ts';

const run = promisify(execFile);
const KUSTOMIZE = { trixie: 'kustomize', elsewhere: 'see its manual' };

describe('a program of Debian 13', { timeout: INSTALL_MS }, () => {
  const cache = mkdtempSync(join(tmpdir(), 'listen-gateway-cache-'));
  beforeAll(() => vi.stubEnv('XDG_CACHE_HOME', cache));
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true, force: true });
  });

  it('is unpacked once where PATH lacks it, and runs there', async () => {
    const [program, again] = await Promise.all([
      unpackProgram('kustomize', KUSTOMIZE),
      unpackProgram('kustomize', KUSTOMIZE),
    ]);
    expect(program).toBe(again);
    expect(program).toContain(cache);
    const { ino } = statSync(program);
    expect(await ensureUnpackedProgram('kustomize', KUSTOMIZE)).toMatch(/kustomize$/);
    expect(statSync(await unpackProgram('kustomize', KUSTOMIZE)).ino).toBe(ino);
    expect((await run(program, ['build', '--help'])).stdout).toContain('kustomization.yaml');
  });

  it('is taken from PATH where it is there', async () => {
    expect(await ensureUnpackedProgram('sh', { trixie: 'dash', elsewhere: '' })).toMatch(/\/sh$/);
  });

  it('says so where its package has no such program', async () => {
    await expect(unpackProgram('kustomise', KUSTOMIZE)).rejects.toThrow(
      "Debian 13's package kustomize brought no kustomise",
    );
  });
});
