import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderKustomization } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { objectProblems } from './kubernetes-types.ts';
import { findManifest, type Manifest, parseManifests } from './manifests.ts';
import { REPOSITORY } from './repository.ts';

const dir = mkdtempSync(join(tmpdir(), 'listen-gateway-copy-'));
const copy = join(dir, 'k8s/overlays/acme');
beforeAll(() => {
  cpSync(join(REPOSITORY, 'k8s'), join(dir, 'k8s'), { recursive: true });
  cpSync(join(dir, 'k8s/overlays/production'), copy, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Kustomization {
  readonly components: readonly string[];
  readonly patches: readonly object[];
  readonly images: readonly object[];
}

const shipped = parse(
  readFileSync(join(REPOSITORY, 'k8s/overlays/production/kustomization.yaml'), 'utf8'),
) as Kustomization;

/** Renders the copy with what an operator has changed of its kustomization. */
async function render(change: Partial<Kustomization> = {}): Promise<readonly Manifest[]> {
  writeFileSync(join(copy, 'kustomization.yaml'), stringify({ ...shipped, ...change }));
  return parseManifests(await renderKustomization(copy));
}

/** Takes components out, each with the patch that it is told to take out with it. */
function without(...gone: readonly (readonly [component: string, patch: string])[]) {
  const left = <T>(list: readonly T[], names: readonly string[]) =>
    list.filter((item) => !names.some((name) => JSON.stringify(item).includes(`${name}"`)));
  return {
    components: left(
      shipped.components,
      gone.map(([component]) => `/${component}`),
    ),
    patches: left(
      shipped.patches,
      gone.map(([, patch]) => patch),
    ),
  };
}

describe('a copy of the production overlay', { timeout: 60_000 }, () => {
  it.each([
    ['gateway-api', 'http-route.yaml', 'HTTPRoute'],
    ['network-policy', 'network-policy.yaml', 'NetworkPolicy'],
    ['autoscaling', 'horizontal-pod-autoscaler.yaml', 'HorizontalPodAutoscaler'],
    ['prometheus-operator', 'no patch', 'PodMonitor'],
  ])('does without %s where the cluster does, and keeps the rest', async (component, patch, kind) => {
    const whole = await render();
    const rest = await render(without([component, patch]));
    expect(whole.map((manifest) => manifest.kind)).toContain(kind);
    expect(rest.map((manifest) => manifest.kind)).not.toContain(kind);
    expect(findManifest(rest, 'Deployment', 'gateway').spec.template).toEqual(
      findManifest(whole, 'Deployment', 'gateway').spec.template,
    );
  });

  it('takes KEDA in place of the autoscaler, and another way in, as Kubernetes knows them', async () => {
    const { components, patches } = without(
      ['autoscaling', 'horizontal-pod-autoscaler.yaml'],
      ['gateway-api', 'http-route.yaml'],
    );
    const patch = JSON.stringify([{ op: 'replace', path: '/spec/minReplicaCount', value: 3 }]);
    const manifests = await render({
      components: [...components, '../../components/keda', '../../components/ingress-nginx'],
      patches: [...patches, { target: { kind: 'ScaledObject' }, patch }],
    });
    expect(findManifest(manifests, 'ScaledObject', 'gateway').spec).toMatchObject({ minReplicaCount: 3 });
    expect(findManifest(manifests, 'Deployment', 'gateway').spec.replicas).toBeUndefined();
    expect(await objectProblems(manifests)).toEqual([]);
  });

  it('is pinned to a digest where the operator has one', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const images = [{ name: 'listen-gateway', newName: 'registry.example.com/listen-gateway', digest }];
    const manifests = await render({ images });
    for (const service of ['gateway', 'publisher']) {
      const [{ image }] = findManifest(manifests, 'Deployment', service).spec.template.spec.containers;
      expect(image).toMatch(new RegExp(`^registry\\.example\\.com/listen-gateway(:[\\w.]+)?@${digest}$`));
    }
  });
});
