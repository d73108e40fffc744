import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { objectProblems } from './kubernetes-types.ts';
import { findManifest, type Manifest, renderComponents, renderManifests } from './manifests.ts';
import { REPOSITORY } from './repository.ts';

/** Every folder of `k8s` that kustomize can be pointed at; components are, through an overlay that takes them in. */
const FOLDERS = globSync('**/kustomization.yaml', { cwd: join(REPOSITORY, 'k8s') })
  .map(dirname)
  .sort();
const render = (folder: string) =>
  folder.startsWith('components/') ? renderComponents(folder.slice('components/'.length)) : renderManifests(folder);

const rendered = new Map<string, readonly Manifest[]>();
for (const folder of FOLDERS) rendered.set(folder, await render(folder));
const base = rendered.get('base') ?? [];
const identity = ({ apiVersion, kind, metadata }: Manifest) => `${apiVersion} ${kind} ${metadata.name}`;

describe('the kustomizations', () => {
  it('are the base, two overlays and six components', () => {
    expect(FOLDERS).toEqual([
      'base',
      'components/autoscaling',
      'components/gateway-api',
      'components/ingress-nginx',
      'components/keda',
      'components/network-policy',
      'components/prometheus-operator',
      'overlays/local',
      'overlays/production',
    ]);
  });

  it.each(FOLDERS)('render from %s, each object once', (folder) => {
    const objects = rendered.get(folder) ?? [];
    expect(new Set(objects.map(identity)).size).toBe(objects.length);
    expect(objects.length).toBeGreaterThan(folder === 'base' ? 6 : base.length);
  });

  it('render objects that Kubernetes 1.34 and its operators know whole', { timeout: 60_000 }, async () => {
    const different = new Map([...rendered.values()].flat().map((object) => [JSON.stringify(object), object]));
    expect(await objectProblems([...different.values()])).toEqual([]);
  });
});

describe('a manifest with a mistake in it', () => {
  interface Mistake {
    readonly folder: string;
    readonly kind: string;
    readonly name: string;
    readonly change: readonly [string, string];
    readonly says: RegExp;
  }
  // Each is a change of the object's JSON that an editor could make.
  const MISTAKES: Readonly<Record<string, Mistake>> = {
    'a misspelt field of a pod': {
      ...{ folder: 'base', kind: 'Deployment', name: 'gateway', change: ['"livenessProbe"', '"livenesProbe"'] },
      says: /^Deployment gateway: .*'"livenesProbe"' does not exist in type 'IContainer'/,
    },
    'a number in quotes': {
      ...{ folder: 'base', kind: 'Deployment', name: 'publisher', change: ['"replicas":2', '"replicas":"2"'] },
      says: /^Deployment publisher: data\/spec\/replicas must be integer/,
    },
    'a member that is missing': {
      ...{ folder: 'components/autoscaling', kind: 'HorizontalPodAutoscaler', name: 'gateway' },
      ...{ change: ['"maxReplicas":20,', ''], says: /must have required property maxReplicas/ },
    },
    'a value that there is none of': {
      ...{ folder: 'components/network-policy', kind: 'NetworkPolicy', name: 'dns', change: ['"UDP"', '"UPD"'] },
      says: /^NetworkPolicy dns: .*(allowed values|not assignable)/,
    },
    'a misspelt field of KEDA': {
      ...{ folder: 'components/keda', kind: 'ScaledObject', name: 'gateway' },
      ...{ change: ['"minReplicaCount"', '"minReplicas"'], says: /'"minReplicas"' does not exist/ },
    },
    'a misspelt field of the Prometheus operator': {
      ...{ folder: 'components/prometheus-operator', kind: 'PodMonitor', name: 'listen-gateway' },
      ...{ change: ['"podMetricsEndpoints"', '"podMetricEndpoints"'], says: /podMetricEndpoints/ },
    },
    'a misspelt field of the Gateway API': {
      ...{ folder: 'components/gateway-api', kind: 'HTTPRoute', name: 'gateway' },
      ...{ change: ['"backendRequest"', '"backend"'], says: /'"backend"' does not exist/ },
    },
    'a version that there is none of': {
      ...{ folder: 'base', kind: 'PodDisruptionBudget', name: 'gateway', change: ['policy/v1', 'policy/v2'] },
      says: /there are no types of policy\/v2/,
    },
  };

  const mutants = Object.values(MISTAKES).map(({ folder, kind, name, change: [from, to] }) => {
    const object = JSON.stringify(findManifest(rendered.get(folder) ?? [], kind, name));
    expect(object).toContain(from);
    return JSON.parse(object.replace(from, to)) as Manifest;
  });
  let problems: readonly string[];
  beforeAll(async () => {
    problems = await objectProblems(mutants);
  });

  it.each(Object.entries(MISTAKES))('is found to have %s', (_, { says }) => {
    expect(problems).toContainEqual(expect.stringMatching(says));
  });
});
