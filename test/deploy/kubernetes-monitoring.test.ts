import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readShipped } from './repository.ts';

const RULE_FILE = 'k8s/components/prometheus-operator/prometheus-rule.yaml';
const RULES = ['recording', 'alerts'] as const;

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly object[] }[];
}

const groups = RULES.flatMap((name) => (parse(readShipped(`deploy/prometheus/${name}.yaml`)) as RuleFile).groups);

describe('the PrometheusRule', () => {
  it('has the groups of deploy/prometheus, and no others', async () => {
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
    const names = groups.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
