import { describe, expect, it } from 'vitest';
import { readQuery } from './promql.ts';
import { RECORDING_RULES, readRuleTests } from './rules.ts';

const { tests } = readRuleTests('recording.yaml');
const expected = tests.flatMap(({ promql_expr_test = [] }) => promql_expr_test);

/** The series that some rule test asks for and gets, or asks for and does not get. */
function asked(samples: 'some' | 'none'): ReadonlySet<string> {
  const ofThese = expected.filter(({ exp_samples }) => (exp_samples.length === 0) === (samples === 'none'));
  return new Set(ofThese.flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => metric)));
}

describe('every recorded series', () => {
  it('has a name of three parts: what is left apart, the metric, what was done to it', () => {
    for (const { record } of RECORDING_RULES)
      expect(record).toMatch(/^(instance|job(_[a-z]+)?):lg_[a-z0-9_]+:[a-z0-9_]+$/);
  });

  it('has a rule test that says its value', () => {
    expect(RECORDING_RULES.map(({ record }) => record).filter((record) => !asked('some').has(record))).toEqual([]);
    expect(asked('some').has('job:lg_streams_open:max')).toBe(false);
  });

  it('has one that says that there is none where nothing happens, if it is a share of what happens', () => {
    const shares = RECORDING_RULES.map(({ record }) => record).filter((record) => record.includes(':ratio'));
    const constant = ['instance:lg_process_open_fds:ratio'];
    expect(shares.filter((record) => !asked('none').has(record))).toEqual(constant);
  });
});
