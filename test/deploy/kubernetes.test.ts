import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, type PodSpec, readKustomization, readManifests } from './manifests.ts';
import { readShipped } from './repository.ts';
import { type Environment, EXPOSED, gatewaySettings, longestShutdownMs, settingProblems } from './service-settings.ts';

const CONFIG_FILE = readShipped('k8s/base/listen-gateway.yaml');
const base = readManifests('base');
const local = readManifests('overlays/local');

const find = (kind: string, name: string, among = base): Manifest => {
  const found = among.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const podOf = (name: string) => find('Deployment', name).spec.template.spec;
/** A secret's value is a Redis URL of the operator's. */
const environmentOf = ({ containers: [{ env }] }: PodSpec): Environment =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'redis://redis:6379']));
/** With what the local overlay adds. */
const localEnvironmentOf = (service: string): Environment => {
  const patches = (readKustomization('overlays/local').patches ?? []).filter(({ target }) => target.name === service);
  const added = patches.flatMap(
    ({ patch }) => parse(patch) as { path: string; value: { name: string; value: string } }[],
  );
  for (const { path } of added) expect(path).toBe('/spec/template/spec/containers/0/env/-');
  return {
    ...environmentOf(podOf(service)),
    ...Object.fromEntries(added.map(({ value }) => [value.name, value.value])),
  };
};
const mebibytes = (amount: string) => Number(amount.replace(/Mi$/, ''));

/** By how many milliseconds the pod outlives the longest shutdown of the gateway in it; negative where it does not. */
const spareMs = (pod: PodSpec, file = CONFIG_FILE) =>
  (pod.terminationGracePeriodSeconds ?? 30) * 1_000 -
  longestShutdownMs(gatewaySettings({ ...environmentOf(pod), ...EXPOSED }, file));

describe('the gateway on Kubernetes', () => {
  const pod = podOf('gateway');
  const { terminationGracePeriodSeconds: _, ...silent } = pod;
  const settings = gatewaySettings(localEnvironmentOf('gateway'), CONFIG_FILE);

  it('is given the time that its drain may take (P-1.8, FIELD F1)', () => {
    expect(settings.drain.delayMs, 'load balancers hear late that a pod ends').toBeGreaterThanOrEqual(5_000);
    expect(pod.containers[0].lifecycle, 'the drain delay does the waiting').toBeUndefined();
    expect(spareMs(pod)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['the pod gets less', { ...pod, terminationGracePeriodSeconds: 30 }, CONFIG_FILE],
    ['the window is longer', pod, 'drain: { delayMs: 10000, windowMs: 60000 }'],
    ['the pod says nothing', silent, CONFIG_FILE],
  ])('would be found to have too little where %s', (_, changed, file) => {
    expect(spareMs(changed, file)).toBeLessThan(0);
  });

  it('has memory for the streams that it takes, with a quarter to spare', () => {
    const { limits, requests } = pod.containers[0].resources;
    const streamsMiB = (settings.limits.streamsPerInstance * 17) / 1_024;
    expect(100 + streamsMiB).toBeLessThanOrEqual(0.75 * mebibytes(limits.memory));
    expect(requests.memory, 'streams are there to stay, so a pod needs at once what it may use').toBe(limits.memory);
    expect(limits.cpu).toBeUndefined();
  });

  it('starts all new pods before the first old one goes, so that a rollout costs a host one re-open (P-5, INS-05)', () => {
    expect(find('Deployment', 'gateway').spec).toMatchObject({
      strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
    });
  });

  it('is spread over nodes and zones', () => {
    expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
  });
});

describe('the publisher on Kubernetes', () => {
  it('goes on until proxies have heard that its pod ends, and has the time to close then', () => {
    const { terminationGracePeriodSeconds = 30, containers } = podOf('publisher');
    const sleepS = containers[0].lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(sleepS).toBeGreaterThanOrEqual(5);
    // It cuts what is left after 3 s; the broker closes after that.
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleepS + 3 + 5);
  });
});

describe.each(['gateway', 'publisher'] as const)('the pod of the %s', (service) => {
  const pod = podOf(service);
  const [container] = pod.containers;

  it('runs its service from the one image, with settings that the service takes', () => {
    expect([container.image, container.args]).toEqual(['listen-gateway', [service]]);
    expect(settingProblems(service, localEnvironmentOf(service), CONFIG_FILE)).toEqual([]);
    const misspelt = settingProblems(service, localEnvironmentOf(service), 'limit: {}');
    expect(misspelt, 'a misspelling is found').not.toEqual([]);
  });

  it('does not start before an overlay says who is let in', () => {
    const problems = settingProblems(service, environmentOf(pod), CONFIG_FILE);
    expect(problems).toEqual([expect.stringContaining('xposeWithoutAuthentication')]);
  });

  it('is asked for its health on the admin port, which no Service has', () => {
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
    const { admin } = gatewaySettings(EXPOSED, CONFIG_FILE);
    expect(container.ports.find(({ name }) => name === 'admin')?.containerPort).toBe(admin.port);
    expect(find('Service', service).spec.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  it('is what its Service and its disruption budget select', () => {
    const { labels } = find('Deployment', service).spec.template.metadata;
    expect(labels).toEqual({ 'app.kubernetes.io/component': service });
    expect(find('Deployment', service).spec.selector.matchLabels).toEqual(labels);
    expect(find('Service', service).spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget', service).spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
  });
});

describe.each(local.filter(({ kind }) => kind === 'Deployment').map((manifest) => [manifest.metadata.name, manifest]))(
  'the pod of %s in the local overlay',
  (_, { spec }) => {
    it('keeps to the restricted pod security standard, on a root file system that it cannot write', () => {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      expect(pod).toMatchObject({ automountServiceAccountToken: false });
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    });
  },
);

describe('the kustomizations', () => {
  it('ship the version that this is, and in the local overlay the image that was built here', () => {
    const { version } = JSON.parse(readShipped('package.json')) as { readonly version: string };
    expect(readKustomization('base').images).toEqual([{ name: 'listen-gateway', newTag: version }]);
    expect(readKustomization('overlays/local').images).toEqual([{ name: 'listen-gateway', newTag: 'local' }]);
    expect(readShipped('docker-compose.yml')).toContain('listen-gateway:local');
  });

  it('generate the configuration and the secret that the pods name', () => {
    expect(readKustomization('base').configMapGenerator).toEqual([{ name: 'config', files: ['listen-gateway.yaml'] }]);
    expect(readKustomization('overlays/local').secretGenerator).toEqual([
      { name: 'broker', literals: ['url=redis://redis:6379'] },
    ]);
    for (const service of ['gateway', 'publisher']) {
      expect(podOf(service).volumes).toEqual([{ name: 'config', configMap: { name: 'config' } }]);
      expect(podOf(service).containers[0].env).toContainEqual({
        name: 'LG_BROKER__URL',
        valueFrom: { secretKeyRef: { name: 'broker', key: 'url' } },
      });
    }
    expect(parse(CONFIG_FILE)).toHaveProperty('servers');
  });

  it('bring the Redis that the local secret points to', () => {
    const labels = find('Deployment', 'redis', local).spec.template.metadata.labels;
    expect(find('Service', 'redis', local).spec).toMatchObject({ selector: labels, ports: [{ port: 6379 }] });
  });
});
