import { INSTALL_MS } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { readShipped } from '../deploy/repository.ts';
import { unnoticedMutants } from './mutant-run.ts';
import { ALERT_GROUPS, ALERT_RULES, RULE_TESTS, type RuleTest, type RuleTestFile, readRuleTests } from './rules.ts';

const PAGES = RULE_TESTS.map((file) => file.replace('.yaml', '')).filter((page) => page !== 'recording');
const MUTANTS_MS = 120_000;

/** Whether a file has a test in which a rule fires, and one in which no rule of that name does. */
function directions({ tests }: RuleTestFile, alert: string, severity: string): readonly boolean[] {
  const expected = tests
    .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
    .filter(({ alertname }) => alertname === alert);
  return [
    expected.some(({ exp_alerts }) => exp_alerts.some(({ exp_labels }) => exp_labels.severity === severity)),
    expected.some(({ exp_alerts }) => exp_alerts.length === 0),
  ];
}

describe('every alert', { timeout: MUTANTS_MS + INSTALL_MS }, () => {
  it('stands in the group of the page that its runbook is on, and is tested in the file of that name', () => {
    expect([...ALERT_GROUPS.keys()].sort()).toEqual(PAGES.map((page) => `listen-gateway-${page}`));
    for (const [group, rules] of ALERT_GROUPS) {
      const page = group.replace('listen-gateway-', '');
      for (const { annotations } of rules) expect(annotations.runbook_url).toContain(`/docs/operations/${page}.md#`);
    }
  });

  it('has a name of this product, a severity that somebody acts on, and says what it measured', () => {
    for (const { alert, labels, annotations } of ALERT_RULES) {
      expect(alert).toMatch(/^ListenGateway[A-Z]\w+$/);
      expect(['critical', 'warning'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toMatch(/\{\{ \$(value|labels)\b/);
      expect(annotations.summary.length, alert).toBeLessThan(120);
      expect(annotations.description, alert).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it.each(PAGES)('of %s has a rule test in which it fires and one in which it does not', (page) => {
    const file = readRuleTests(`${page}.yaml`);
    for (const { alert, labels } of ALERT_GROUPS.get(`listen-gateway-${page}`) ?? []) {
      expect(directions(file, alert, labels.severity), alert).toEqual([true, true]);
      const others = file.tests.filter((test) =>
        (test.alert_rule_test ?? []).every(({ alertname }) => alertname !== alert),
      );
      expect(directions({ ...file, tests: others }, alert, labels.severity)).toEqual([false, false]);
    }
  });

  it.each(PAGES)('of %s has rule tests that notice another threshold or duration', async (page) => {
    const rules = ALERT_GROUPS.get(`listen-gateway-${page}`) ?? [];
    expect(await unnoticedMutants(rules, readRuleTests(`${page}.yaml`))).toEqual([]);
  });

  it('would be found to have none that notices a lower threshold, if there were only those in which it fires', async () => {
    const file = readRuleTests('upstreams.yaml');
    const fires = ({ alert_rule_test = [] }: RuleTest) =>
      alert_rule_test.some(({ exp_alerts }) => exp_alerts.length > 0);
    const rules = ALERT_RULES.filter(({ alert }) => alert === 'ListenGatewayUpstreamFailing');
    expect(await unnoticedMutants(rules, { ...file, tests: file.tests.filter(fires) })).toEqual([
      'ListenGatewayUpstreamFailing: job:lg_proxy_requests_failed:ratio_rate5m > 0.05 → 0.0375',
    ]);
  });
});

describe('docs/monitoring.md', () => {
  it('lists every alert with its severities, and no other', () => {
    const told = Array.from(
      readShipped('docs/monitoring.md').matchAll(/^\| (\w+) \| ([a-z, ]+) \| .+ \|$/gm),
      ([, alert, severities = '']) => [alert, severities.split(', ').sort()],
    ).filter(([alert]) => alert !== 'alert');
    const names = [...new Set(ALERT_RULES.map(({ alert }) => alert))];
    const severitiesOf = (name: string) =>
      ALERT_RULES.filter(({ alert }) => alert === name).map((rule) => rule.labels.severity);
    expect(told).toEqual(names.map((name) => [name, severitiesOf(name).sort()]));
  });
});
