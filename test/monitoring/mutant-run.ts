import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Mutant, mutantsOf } from './alert-mutants.ts';
import { readQuery } from './promql.ts';
import { promtool } from './promtool.ts';
import { type AlertRule, RECORDING_RULES, type RuleTestFile } from './rules.ts';

/** The mutants of these alerts that the tests do not notice. */
export async function unnoticedMutants(rules: readonly AlertRule[], tests: RuleTestFile): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listen-gateway-mutants-'));
  try {
    await mkdir(join(folder, 'tests'));
    await writeFile(
      join(folder, 'tests', 'tests.yaml'),
      stringify({ ...tests, group_eval_order: ['recording', 'alerts'] }),
    );
    await writeRules(folder, 'recording', recordingsOf(rules.map(({ expr }) => expr)));
    const unnoticed: string[] = [];
    for (const round of roundsOf(rules)) {
      const changed = rules.map((rule) => round.get(rule)?.rule ?? rule);
      await writeRules(folder, 'alerts', changed);
      const { said } = await promtool(['test', 'rules', 'tests.yaml'], join(folder, 'tests'));
      for (const [{ alert }, { what }] of round) if (!fails(said, alert)) unnoticed.push(`${alert}: ${what}`);
    }
    return unnoticed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Alerts know nothing of each other, so one mutant of each name is tried at a time. */
function roundsOf(rules: readonly AlertRule[]): readonly ReadonlyMap<AlertRule, Mutant>[] {
  const rounds: Map<AlertRule, Mutant>[] = [];
  for (const { alert } of rules) {
    const ofThatName = rules.filter((rule) => rule.alert === alert);
    const all = ofThatName.flatMap((rule) => mutantsOf(rule).map((mutant) => ({ rule, mutant })));
    for (const [index, { rule, mutant }] of all.entries()) {
      rounds[index] ??= new Map();
      rounds[index].set(rule, mutant);
    }
  }
  return rounds;
}

/** The recording rules that queries need, also by way of others. */
function recordingsOf(queries: readonly string[]) {
  const needed = new Set<string>();
  const need = (query: string) => {
    for (const { metric } of readQuery(query).selectors) {
      const recorded = RECORDING_RULES.find(({ record }) => record === metric);
      if (recorded === undefined || needed.has(metric)) continue;
      needed.add(metric);
      need(recorded.expr);
    }
  };
  for (const query of queries) need(query);
  return RECORDING_RULES.filter(({ record }) => needed.has(record));
}

function writeRules(folder: string, name: string, rules: readonly object[]): Promise<void> {
  return writeFile(join(folder, `${name}.yaml`), stringify({ groups: [{ name, rules }] }));
}

const fails = (said: string, alert: string) => said.includes(`alertname: ${alert}, time:`);
