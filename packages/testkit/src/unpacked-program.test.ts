import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { unpackProgram } from './unpacked-program.ts';

const run = promisify(execFile);
const KUSTOMIZE = { trixie: 'kustomize', elsewhere: 'see its manual' };

describe('a program of Debian 13', { timeout: INSTALL_MS }, () => {
  const cache = mkdtempSync(join(tmpdir(), 'listen-gateway-cache-'));
  beforeAll(() => vi.stubEnv('XDG_CACHE_HOME', cache));
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true, force: true });
  });

  it('is unpacked once, and runs on this release', async () => {
    const [program, again] = await Promise.all([
      unpackProgram('kustomize', KUSTOMIZE),
      unpackProgram('kustomize', KUSTOMIZE),
    ]);
    expect(program).toBe(again);
    expect(program).toContain(cache);
    const { ino } = statSync(program);
    expect(statSync(await unpackProgram('kustomize', KUSTOMIZE)).ino).toBe(ino);
    expect((await run(program, ['build', '--help'])).stdout).toContain('kustomization.yaml');
  });

  it('says so where its package has no such program', async () => {
    await expect(unpackProgram('kustomise', KUSTOMIZE)).rejects.toThrow(
      "Debian 13's package kustomize brought no kustomise",
    );
  });
});
