import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { renderKustomization } from '@listen-gateway/testkit';
import { stringify } from 'yaml';
import { REPOSITORY } from '../deploy/repository.ts';
import { type KubernetesObject, parseObjects } from './chart.ts';

/** What `k8s/base` makes with these of `k8s/components`. */
export async function renderBase(components: readonly string[] = []): Promise<readonly KubernetesObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listen-gateway-overlay-'));
  try {
    const from = (...path: string[]) => relative(folder, join(REPOSITORY, 'k8s', ...path));
    const overlay = { resources: [from('base')], components: components.map((name) => from('components', name)) };
    await writeFile(join(folder, 'kustomization.yaml'), stringify(overlay));
    return parseObjects(await renderKustomization(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What one of `k8s/overlays` makes. */
export async function renderOverlay(name: string): Promise<readonly KubernetesObject[]> {
  return parseObjects(await renderKustomization(join(REPOSITORY, 'k8s', 'overlays', name)));
}
