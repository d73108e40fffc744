import { describe, expect, it, vi } from 'vitest';
import { find, type KubernetesObject, podOf, render, type Values } from './chart.ts';
import { HELM_MS } from './helm-program.ts';
import { problemsOf } from './rendered-settings.ts';

const EVERYTHING = [
  '--values',
  new URL('../../deploy/helm/listen-gateway/ci/everything-values.yaml', import.meta.url).pathname,
];
const SERVICES = ['gateway', 'publisher'] as const;

const imageWith = async (image: Values) => podOf(await render({ image }), 'gateway').container.image;
const namesOf = (objects: readonly KubernetesObject[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('the image', { timeout: HELM_MS }, () => {
  it.each([
    [{ repository: 'registry.example.com/listen-gateway', tag: '1.2.3' }, 'registry.example.com/listen-gateway:1.2.3'],
    [{ digest: `sha256:${'0'.repeat(64)}` }, `listen-gateway@sha256:${'0'.repeat(64)}`],
    [{ tag: '1.2.3', digest: `sha256:${'0'.repeat(64)}` }, `listen-gateway:1.2.3@sha256:${'0'.repeat(64)}`],
  ])('is with %j %s', async (image, expected) => {
    expect(await imageWith(image)).toBe(expected);
  });
});

describe('the URL of Redis', { timeout: HELM_MS }, () => {
  const refs = async (broker: Values) => {
    const objects = await render({ broker });
    return SERVICES.map((service) => podOf(objects, service).container.env[1].valueFrom.secretKeyRef);
  };

  it('comes from a Secret of the operator, with a key for each service', async () => {
    expect(await refs({ existingSecret: 'redis', keys: { gateway: 'reader' } })).toEqual([
      { name: 'redis', key: 'reader' },
      { name: 'redis', key: 'url' },
    ]);
  });

  it('comes from a Secret that the chart makes of the URL itself, and a new URL rolls the pods', async () => {
    const objects = await render({ broker: { url: 'rediss://:pass%22word@redis:6379', keys: { gateway: 'reader' } } });
    const secret = find(objects, 'Secret');
    expect(secret.stringData).toEqual({ url: 'rediss://:pass%22word@redis:6379' });
    const { container, metadata } = podOf(objects, 'gateway');
    expect(container.env[1].valueFrom.secretKeyRef).toEqual({ name: secret.metadata.name, key: 'url' });
    const other = podOf(await render({ broker: { url: 'redis://redis' } }), 'gateway').metadata;
    expect(other.annotations['checksum/broker']).not.toBe(metadata.annotations['checksum/broker']);
    expect(JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))).not.toContain('pass%22word');
  });
});

describe('the names of objects', { timeout: HELM_MS }, () => {
  it.each([
    [{}, 'acme-listen-gateway-gateway'],
    [{ nameOverride: 'acme-streams' }, 'acme-acme-streams-gateway'],
    [{ nameOverride: 'acme' }, 'acme-gateway'],
    [{ fullnameOverride: 'streams' }, 'streams-gateway'],
    [{ fullnameOverride: 'v1.streams' }, 'v1-streams-gateway'],
  ])('are with %j %s', async (values, name) => {
    expect(namesOf(await render(values))).toContain(`Service ${name}`);
  });

  it('are never longer than Kubernetes takes', async () => {
    const objects = await render({ fullnameOverride: 'a'.repeat(80) });
    for (const { metadata } of objects) expect(metadata.name).toMatch(/^[a-z0-9-]{1,62}[a-z0-9]$/);
    expect(new Set(namesOf(objects)).size).toBe(objects.length);
  });
});

describe('a changed setting', { timeout: HELM_MS }, () => {
  it('rolls the pods of both services, and nothing else does', async () => {
    const digests = async (values: Values) => {
      const objects = await render(values);
      return SERVICES.map((service) => podOf(objects, service).metadata.annotations['checksum/config']);
    };
    const before = await digests({});
    expect(await digests({ gateway: { replicas: 5 } })).toEqual(before);
    const after = await digests({ config: { stream: { stallMs: 20_000 } } });
    for (const [at, digest] of after.entries()) expect(digest).not.toBe(before[at]);
  });
});

describe('an autoscaler', { timeout: HELM_MS }, () => {
  it.each(['autoscaling', 'keda'])('has the number of instances to itself: %s', async (name) => {
    const objects = await render({ [name]: { enabled: true, maxReplicas: 30 }, gateway: { replicas: 5 } });
    expect(find(objects, 'Deployment', 'gateway').spec).not.toHaveProperty('replicas');
    expect(find(objects, 'Deployment', 'publisher').spec.replicas).toBe(2);
    const { spec } = find(objects, name === 'keda' ? 'ScaledObject' : 'HorizontalPodAutoscaler');
    expect(spec.scaleTargetRef.name).toBe(find(objects, 'Deployment', 'gateway').metadata.name);
    expect([spec.maxReplicas, spec.maxReplicaCount]).toContain(30);
  });
});

describe('an empty list in networkPolicy', { timeout: HELM_MS }, () => {
  it('lets nobody through, where Kubernetes would read it as everybody', async () => {
    const none = { from: [] };
    const policies = await render({
      networkPolicy: { enabled: true, hosts: none, backends: none, redis: { to: [] }, https: { to: [] } },
    });
    const names = policies.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name);
    expect(names.map((name) => name.replace('acme-listen-gateway-', '')).sort()).toEqual([
      'default-deny',
      'dns',
      'monitoring',
      'upstreams',
    ]);
  });
});

describe('every value at once', { timeout: HELM_MS }, () => {
  it('arrives where it belongs, in both services', async () => {
    const objects = await render({}, EVERYTHING);
    for (const service of SERVICES) {
      const { metadata, spec, container } = podOf(objects, service);
      expect(metadata.annotations).toMatchObject({ 'example.com/scraped': 'true' });
      expect(metadata.labels).toMatchObject({ 'example.com/team': 'acme', 'app.kubernetes.io/component': service });
      expect(spec).toMatchObject({
        serviceAccountName: 'streams',
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 'registry' }],
        nodeSelector: { 'kubernetes.io/arch': 'amd64' },
        tolerations: [{ key: 'example.com/streams', operator: 'Exists', effect: 'NoSchedule' }],
        affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } },
      });
      expect(container).toMatchObject({ imagePullPolicy: 'IfNotPresent', image: expect.stringMatching(/@sha256:/) });
      expect(find(objects, 'Service', service).metadata.annotations).toEqual({ 'example.com/internal': 'true' });
    }
    expect(find(objects, 'ServiceAccount').metadata).toMatchObject({
      name: 'streams',
      annotations: { 'example.com/role': 'streams' },
    });
    expect(find(objects, 'Service', 'gateway').spec.type).toBe('LoadBalancer');
    expect(find(objects, 'Service', 'publisher').spec.type).toBe('NodePort');
    expect(find(objects, 'PodMonitor').metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(find(objects, 'PrometheusRule').metadata.labels).toMatchObject({ release: 'prometheus' });
  });

  it('arrives in the gateway where it is its own', async () => {
    const objects = await render({}, EVERYTHING);
    const { spec, container } = podOf(objects, 'gateway');
    expect(spec.priorityClassName).toBe('system-cluster-critical');
    expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(['config', 'acme']);
    expect(container.volumeMounts[1]).toEqual({ name: 'acme', mountPath: '/etc/acme', readOnly: true });
    expect(container.env.map(({ name }: { name: string }) => name)).toContain('ID_SECRET');
    expect(container.ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual([
      18_080, 19_090,
    ]);
    expect(find(objects, 'Service', 'gateway').spec.ports).toEqual([{ name: 'http', port: 8080, targetPort: 'http' }]);
    expect(find(objects, 'Deployment', 'publisher').spec.replicas).toBe(4);
  });

  it('is a configuration that both services start with', async () => {
    const objects = await render({}, EVERYTHING);
    expect(problemsOf(objects).join()).toContain('ACME_TOKEN is not set in the environment');
    vi.stubEnv('ACME_TOKEN', 'Bearer x');
    vi.stubEnv('ID_SECRET', 'x');
    expect(problemsOf(objects)).toEqual([]);
    vi.unstubAllEnvs();
  });
});
