import type { IPodMonitorSpec } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { findManifest, renderComponents, renderManifests } from './manifests.ts';
import { readShipped } from './repository.ts';

const RULE_FILE = 'k8s/components/prometheus-operator/prometheus-rule.yaml';

interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly { readonly expr: string }[] }[];
}

const component = await renderComponents('prometheus-operator');
const production = await renderManifests('overlays/production');
const groups = ['recording', 'alerts'].flatMap(
  (name) => (parse(readShipped(`deploy/prometheus/${name}.yaml`)) as RuleGroups).groups,
);

describe('the PrometheusRule', () => {
  it('is what deploy/prometheus makes of it', async () => {
    const rule = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'listen-gateway', labels: { 'app.kubernetes.io/name': 'listen-gateway' } },
      spec: { groups },
    };
    const head =
      '# Generated from deploy/prometheus/{recording,alerts}.yaml, which say why each rule is as it is; written again by:\n' +
      '# npx vitest run --project deploy kubernetes-monitoring -u\n';
    await expect(head + stringify(rule, { lineWidth: 0 })).toMatchFileSnapshot(`../../${RULE_FILE}`);
  });

  it.each([
    ['the component', component],
    ['the production overlay', production],
  ])('has the very groups of deploy/prometheus in %s, each once', (_, manifests) => {
    const { spec } = findManifest<RuleGroups>(manifests, 'PrometheusRule', 'listen-gateway');
    expect(groups.length).toBeGreaterThan(1);
    expect(spec.groups).toEqual(groups);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });
});

describe('the PodMonitor', () => {
  const { spec, metadata } = findManifest<IPodMonitorSpec>(component, 'PodMonitor', 'listen-gateway');
  const templates = ['gateway', 'publisher'].map(
    (service) => findManifest(component, 'Deployment', service).spec.template,
  );

  it('asks every pod of ours, on a port that the pod names, for what is nowhere else', () => {
    expect(spec.podMetricsEndpoints).toMatchObject([{ port: 'admin', path: '/metrics' }]);
    for (const {
      metadata: pod,
      spec: { containers },
    } of templates) {
      expect(pod.labels).toMatchObject(spec.selector.matchLabels ?? {});
      expect(containers[0].ports.map(({ name }) => name)).toContain('admin');
    }
    expect(Object.keys(spec.selector.matchLabels ?? {})).toEqual(['app.kubernetes.io/name']);
    expect(metadata.namespace, 'it looks in its own namespace').toBe('listen-gateway');
  });

  it('gives jobs the names by which the rules know them', () => {
    const jobs = templates.map(({ metadata: pod }) => pod.labels[spec.jobLabel ?? '']);
    const known = groups.flatMap(({ rules }) =>
      rules.flatMap(({ expr }) => Array.from(expr.matchAll(/\bjob="([^"]*)"/g), ([, job]) => job)),
    );
    expect([...new Set(known)].sort()).toEqual(jobs.toSorted());
  });
});
