import { describe, expect, it } from 'vitest';
import { openOverlay, PRODUCTION_PRESENT } from './kubernetes-overlays.ts';
import { configFileOf, podContent } from './kubernetes-pod.ts';
import { findManifest, type Manifest, type PodSpec, podOf, renderManifests } from './manifests.ts';
import { readShipped } from './repository.ts';
import { EXPOSED, gatewaySettings, longestShutdownMs, settingProblems } from './service-settings.ts';

const base = await renderManifests('base');
const local = await openOverlay('local');
const production = await openOverlay('production', PRODUCTION_PRESENT);
const OVERLAYS = [local, production].map((overlay) => [overlay.folder, overlay] as const);
const SERVICES = ['gateway', 'publisher'] as const;
const ON_EACH = OVERLAYS.flatMap(([folder, overlay]) => SERVICES.map((service) => [folder, service, overlay] as const));

const MEBIBYTES = { Mi: 1, Gi: 1_024 } as const;
const mebibytes = (amount: string) => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(amount) ?? [];
  return Number(number) * MEBIBYTES[unit as keyof typeof MEBIBYTES];
};

describe.each(OVERLAYS)('the gateway in the %s overlay', (_, { manifests, contentOf, configOf }) => {
  const pod = podOf(manifests, 'gateway');
  const { terminationGracePeriodSeconds: __, ...silent } = pod;
  const file = configOf('gateway');
  const { env } = contentOf('gateway');
  const settings = gatewaySettings(env, file);
  /** By how many milliseconds the pod outlives the longest shutdown of the gateway in it; negative where it does not. */
  const spareMs = ({ terminationGracePeriodSeconds = 30 }: PodSpec, longer = {}) =>
    terminationGracePeriodSeconds * 1_000 - longestShutdownMs(gatewaySettings({ ...env, ...longer }, file));

  it('is given the time that its drain may take (P-1.8, FIELD F1)', () => {
    expect(settings.drain.delayMs, 'load balancers hear late that a pod ends').toBeGreaterThanOrEqual(5_000);
    expect(pod.containers[0].lifecycle, 'the drain delay does the waiting').toBeUndefined();
    expect(spareMs(pod)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['the pod gets less', { ...pod, terminationGracePeriodSeconds: 30 }, {}],
    ['the window is longer', pod, { LG_DRAIN__WINDOW_MS: '120000' }],
    ['the pod says nothing', silent, {}],
  ])('would be found to have too little where %s', (_, changed, longer) => {
    expect(spareMs(changed, longer)).toBeLessThan(0);
  });

  it('has memory for the streams that it takes, with a quarter to spare', () => {
    const { limits, requests } = pod.containers[0].resources;
    const streamsMiB = (settings.limits.streamsPerInstance * 17) / 1_024;
    expect(110 + streamsMiB).toBeLessThanOrEqual(0.75 * mebibytes(limits.memory));
    // Node gives its heap half of what the pod may use, or a little more: 41 MiB and 9.2 KiB a stream, as measured, must fit.
    const heapMiB = 41 + (settings.limits.streamsPerInstance * 9.2) / 1_024;
    expect(heapMiB).toBeLessThanOrEqual(0.8 * (mebibytes(limits.memory) / 2));
    expect(requests.memory, 'streams are there to stay, so a pod needs at once what it may use').toBe(limits.memory);
    expect(limits.cpu).toBeUndefined();
  });

  it('starts all new pods before the first old one goes, so that a rollout costs a host one re-open (P-5, INS-05)', () => {
    expect(findManifest(manifests, 'Deployment', 'gateway').spec).toMatchObject({
      strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
    });
  });

  it('is spread over nodes and zones', () => {
    const keys = pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey);
    expect(keys?.toSorted()).toEqual(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']);
  });

  it('keeps idle connections for longer than load balancers do, and streams from falling silent on them (FIELD F4, C11)', () => {
    // 60 s are what nginx, ingress-nginx and the load balancers of the large clouds give a connection or a silent stream.
    expect(settings.listen.keepAliveTimeoutMs).toBeGreaterThan(60_000);
    expect(settings.listen.requestTimeoutMs).toBeGreaterThan(settings.listen.keepAliveTimeoutMs);
    expect(3 * settings.stream.keepaliveMs).toBeLessThan(60_000);
  });
});

describe.each(OVERLAYS)('the publisher in the %s overlay', (_, { manifests }) => {
  it('goes on until proxies have heard that its pod ends, and has the time to close then', () => {
    const { terminationGracePeriodSeconds = 30, containers } = podOf(manifests, 'publisher');
    const sleepS = containers[0].lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(sleepS).toBeGreaterThanOrEqual(5);
    // It cuts what is left after 3 s; the broker closes after that.
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleepS + 3 + 5);
  });
});

describe.each(ON_EACH)('in the %s overlay the pod of the %s', (_, service, { manifests, contentOf, configOf }) => {
  const pod = podOf(manifests, service);
  const [container] = pod.containers;

  it('runs its service from the one image, with settings that the service takes', () => {
    expect(container.image).toMatch(/(^|\/)listen-gateway:[\w.]+$/);
    expect(container.args).toEqual([service]);
    const { env } = contentOf(service);
    expect(settingProblems(service, env, configOf(service))).toEqual([]);
    const misspelt = settingProblems(service, env, `${configOf(service)}\nlimit: {}\n`);
    expect(misspelt, 'a misspelling is found').not.toEqual([]);
  });

  it('is asked for its health on the admin port, which no Service has', () => {
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
    const { admin, listen } = gatewaySettings({ ...contentOf('gateway').env, ...EXPOSED }, configOf('gateway'));
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports.admin).toBe(admin.port);
    if (service === 'gateway') expect(ports.http).toBe(listen.port);
    expect(findManifest(manifests, 'Service', service).spec.ports?.map(({ targetPort }) => targetPort)).toEqual([
      'http',
    ]);
  });

  it('is what its Service, its disruption budget and its spread select', () => {
    const deployment = findManifest(manifests, 'Deployment', service).spec;
    const { labels } = deployment.template.metadata;
    expect(labels).toEqual({ 'app.kubernetes.io/component': service, 'app.kubernetes.io/name': 'listen-gateway' });
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(findManifest(manifests, 'Service', service).spec.selector).toEqual(labels);
    const budget = findManifest(manifests, 'PodDisruptionBudget', service);
    expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    for (const { labelSelector } of pod.topologySpreadConstraints ?? [])
      expect(labelSelector).toEqual({ matchLabels: labels });
  });

  it('reads its configuration from a ConfigMap whose name changes with it, so that a changed setting rolls the pods', () => {
    const name = pod.volumes?.find((volume) => volume.name === 'config')?.configMap?.name;
    expect(name).toMatch(/^config-[a-z0-9]{10}$/);
    const names = manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    expect(names).toEqual([name]);
  });
});

describe.each(SERVICES)('the pod of the %s in the base', (service) => {
  const present = { broker: { url: 'redis://redis:6379' } };

  it('does not start before an overlay says who is let in', () => {
    const content = podContent(podOf(base, service), base, present);
    const problems = settingProblems(service, content.env, configFileOf(content));
    expect(problems).toEqual([expect.stringContaining('xposeWithoutAuthentication')]);
  });

  it('waits for the Secret that an overlay names', () => {
    expect(() => podContent(podOf(base, service), base)).toThrow('there is no ConfigMap or Secret broker');
  });
});

const PODS = [
  ...OVERLAYS.map(([folder, { manifests }]) => [folder, manifests] as const),
  ['base', base] as const,
].flatMap(([folder, manifests]) =>
  manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata }) => [metadata.name, folder, podOf(manifests, metadata.name)] as const),
);

describe.each(PODS)('the pod of %s in %s', (_, __, pod) => {
  it('keeps to the restricted pod security standard, on a root file system that it cannot write', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
    expect(pod).toMatchObject({ automountServiceAccountToken: false });
    expect(Object.keys(pod)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(host|initContainers)/)]));
    for (const { configMap, secret } of pod.volumes ?? []) expect(configMap ?? secret).toBeDefined();
    for (const container of pod.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});

describe('the kustomizations', () => {
  const imagesOf = (manifests: readonly Manifest[]) =>
    SERVICES.map((service) => podOf(manifests, service).containers[0].image);

  it('ship the version that this is, and in the local overlay the image that was built here', () => {
    const { version } = JSON.parse(readShipped('package.json')) as { readonly version: string };
    expect(imagesOf(base)).toEqual(Array(2).fill(`listen-gateway:${version}`));
    expect(imagesOf(production.manifests)).toEqual(Array(2).fill(`registry.example.com/listen-gateway:${version}`));
    expect(imagesOf(local.manifests)).toEqual(Array(2).fill('listen-gateway:local'));
    expect(readShipped('docker-compose.yml')).toContain('listen-gateway:local');
  });

  it('bring the Redis that the local secret points to', () => {
    expect(local.contentOf('gateway').env.LG_BROKER__URL).toBe('redis://redis:6379');
    const { labels } = findManifest(local.manifests, 'Deployment', 'redis').spec.template.metadata;
    expect(findManifest(local.manifests, 'Service', 'redis').spec).toMatchObject({
      selector: labels,
      ports: [{ port: 6379 }],
    });
  });

  it('put all that has a namespace into one, which they make', () => {
    for (const [, { manifests }] of OVERLAYS) {
      const clusterWide = manifests.filter(({ metadata }) => metadata.namespace !== 'listen-gateway');
      for (const { kind } of clusterWide) expect(['Namespace', 'PriorityClass']).toContain(kind);
      expect(findManifest(manifests, 'Namespace', 'listen-gateway').metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'restricted',
      });
    }
  });
});
