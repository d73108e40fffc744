import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { kustomizeCommand, renderKustomization } from './kustomize.ts';

const folder = mkdtempSync(join(tmpdir(), 'listen-gateway-kustomize-'));
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** A PATH with this kubectl and otherwise only what unpacking a program takes. */
function useKubectl(version: string): void {
  put('kubectl', `#!/bin/sh\nprintf 'Client Version: v1.20.2\\n${version}\\n'\n`);
  chmodSync(join(folder, 'kubectl'), 0o755);
  vi.stubEnv('PATH', [folder, '/usr/local/bin', '/bin'].join(':'));
}

describe('kustomize', { timeout: INSTALL_MS }, () => {
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is unpacked where kubectl has an old one, and renders', async () => {
    useKubectl('');
    const [program, ...args] = await kustomizeCommand();
    expect([program, ...args]).toEqual([expect.stringMatching(/\/kustomize$/), 'build']);
    put('kustomization.yaml', 'configMapGenerator: [{ name: config, literals: [a=b] }]\n');
    expect(await renderKustomization(folder)).toMatch(/name: config-\w{10}\n/);
  });

  it('is that of kubectl where this is recent', async () => {
    useKubectl('Kustomize Version: v5.5.0');
    expect((await kustomizeCommand()).at(-1)).toMatch(/^(kustomize|build)$/);
  });

  it('is not content with what it warns of', async () => {
    put('kustomization.yaml', 'commonLabels: { a: b }\nconfigMapGenerator: [{ name: config, literals: [a=b] }]\n');
    await expect(renderKustomization(folder)).rejects.toThrow('deprecated');
  });
});
