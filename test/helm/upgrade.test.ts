import { globSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHART, find, type KubernetesObject, render } from './chart.ts';
import { HELM_MS } from './helm-program.ts';

/** The sets of values among which a release goes to and fro; names stay, since a new name is a new object. */
const SETS = [
  [],
  ...globSync('ci/*-values.yaml', { cwd: CHART }).map((file) => [
    '--values',
    join(CHART, file),
    '--set',
    'fullnameOverride=streams',
  ]),
  ['--set', 'image.tag=9.9.9'],
  ['--set', 'gateway.podLabels.team=acme'],
];

/** What Kubernetes lets nobody change in an object that is there. */
function unchangeable({ kind, metadata, spec }: KubernetesObject): object {
  return { kind, name: metadata.name.replace(/^.*-(?=gateway|publisher)/, ''), selector: spec.selector };
}

describe('an upgrade', { timeout: HELM_MS }, () => {
  let releases: readonly (readonly KubernetesObject[])[];
  beforeAll(async () => {
    releases = await Promise.all(SETS.map((args) => render({}, args)));
  }, HELM_MS);

  it.each(['gateway', 'publisher'])('never changes what the Deployment of the %s selects by', (service) => {
    const deployments = releases.map((objects) => unchangeable(find(objects, 'Deployment', service)));
    for (const deployment of deployments) expect(deployment).toEqual(deployments[0]);
    expect(deployments[0]).toHaveProperty('selector.matchLabels', {
      'app.kubernetes.io/name': 'listen-gateway',
      'app.kubernetes.io/instance': 'acme',
      'app.kubernetes.io/component': service,
    });
  });

  it.each(['gateway', 'publisher'])(
    'leaves the pods of the %s what Services, budgets and policies select',
    (service) => {
      for (const objects of releases) {
        const { labels } = find(objects, 'Deployment', service).spec.template.metadata;
        expect(labels).toMatchObject(find(objects, 'Deployment', service).spec.selector.matchLabels);
        expect(labels).toMatchObject(find(objects, 'Service', service).spec.selector);
        expect(labels).toMatchObject(find(objects, 'PodDisruptionBudget', service).spec.selector.matchLabels);
        for (const monitor of objects.filter(({ kind }) => kind === 'PodMonitor')) {
          expect(labels).toMatchObject(monitor.spec.selector.matchLabels);
        }
        const deny = objects.find(({ metadata }) => metadata.name.endsWith('-default-deny'));
        expect(labels).toMatchObject(deny?.spec.podSelector.matchLabels ?? {});
      }
    },
  );

  it('to another version of the chart changes nothing in pods but their image', async () => {
    const [before, after] = await Promise.all([render({}), render({ image: { tag: '9.9.9' } })]);
    const template = structuredClone(find(after, 'Deployment', 'gateway').spec.template);
    expect(template.spec.containers[0].image).toBe('listen-gateway:9.9.9');
    template.spec.containers[0].image = find(before, 'Deployment', 'gateway').spec.template.spec.containers[0].image;
    expect(template).toEqual(find(before, 'Deployment', 'gateway').spec.template);
  });
});
