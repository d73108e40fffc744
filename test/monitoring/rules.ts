import { globSync } from 'node:fs';
import { parse } from 'yaml';
import { readShipped } from '../deploy/repository.ts';

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

interface RuleFile<Rule> {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface ExpressionTest {
  readonly expr: string;
  readonly exp_samples: readonly unknown[];
}

/** One `tests` entry of a file for `promtool test rules`. */
export interface RuleTest {
  readonly name: string;
  readonly promql_expr_test?: readonly ExpressionTest[];
  readonly alert_rule_test?: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: { readonly severity: string } }[];
  }[];
}

export interface RuleTestFile {
  readonly group_eval_order: readonly string[];
  readonly tests: readonly RuleTest[];
}

const readYaml = (name: string): unknown => parse(readShipped(`deploy/prometheus/${name}`));
const recording = readYaml('recording.yaml') as RuleFile<RecordingRule>;
const alerting = readYaml('alerts.yaml') as RuleFile<AlertRule>;

export const RECORDING_RULES: readonly RecordingRule[] = recording.groups.flatMap(({ rules }) => rules);
export const ALERT_RULES: readonly AlertRule[] = alerting.groups.flatMap(({ rules }) => rules);

/** The rules by the name of their group. */
export const ALERT_GROUPS: ReadonlyMap<string, readonly AlertRule[]> = new Map(
  alerting.groups.map(({ name, rules }) => [name, rules]),
);

/** In the order in which they are to be evaluated. */
export const GROUPS: readonly string[] = [...recording.groups, ...alerting.groups].map(({ name }) => name);

/** The names of the files with rule tests. */
export const RULE_TESTS: readonly string[] = globSync('*.yaml', {
  cwd: new URL('../../deploy/prometheus/tests', import.meta.url),
}).sort();

export function readRuleTests(file: string): RuleTestFile {
  return readYaml(`tests/${file}`) as RuleTestFile;
}
