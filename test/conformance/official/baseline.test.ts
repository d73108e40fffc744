import { describe, expect, it } from 'vitest';
import { type Baseline, judge } from './baseline.ts';
import { scoredScenarios } from './official-suite.ts';
import type { Check, SuiteReport } from './suite-report.ts';

const scored = ['listing', 'listening'];
const none: Baseline = { server: [], skipped: [] };
const exact = { missing: [], unexpected: [], stale: [] };

function report(listening: readonly Check[]): SuiteReport {
  return new Map([
    ['listing', [{ id: 'tools', status: 'SUCCESS' }]],
    ['listening', listening],
    ['tasks', [{ id: 'not-scored', status: 'FAILURE' }]],
  ]);
}

describe('the comparison with a baseline', () => {
  it('finds no difference where all that is scored passes', () => {
    expect(judge(report([{ id: 'first', status: 'SUCCESS' }]), scored, none)).toEqual(exact);
  });

  it('names a failure, a warning and a skipped check that the baseline does not know', () => {
    const verdict = judge(
      report([
        { id: 'first', status: 'FAILURE', errorMessage: 'no acknowledgement' },
        { id: 'second', status: 'WARNING' },
        { id: 'third', status: 'SKIPPED' },
      ]),
      scored,
      none,
    );
    expect(verdict.unexpected).toEqual([
      'listening:first FAILURE no acknowledgement',
      'listening:second WARNING',
      'listening:third SKIPPED',
    ]);
  });

  it('accepts what the baseline knows, by scenario or by check', () => {
    const failing = report([
      { id: 'first', status: 'FAILURE' },
      { id: 'third', status: 'SKIPPED' },
    ]);
    expect(judge(failing, scored, { server: ['listening'], skipped: ['listening:third'] })).toEqual(exact);
    expect(judge(failing, scored, { server: ['listening:first'], skipped: ['listening:third'] })).toEqual(exact);
  });

  it('does not take a skipped check for a scenario that may fail', () => {
    const verdict = judge(report([{ id: 'third', status: 'SKIPPED' }]), scored, { server: ['listening'], skipped: [] });
    expect(verdict).toMatchObject({ unexpected: ['listening:third SKIPPED'], stale: ['listening'] });
  });

  it('names entries that pass now and entries that never existed', () => {
    const entries = ['listening', 'listing:tools', 'no-such-scenario'];
    const verdict = judge(report([{ id: 'first', status: 'SUCCESS' }]), scored, { server: entries, skipped: [] });
    expect(verdict.stale).toEqual(entries);
  });

  it('names scored scenarios that did not run', () => {
    expect(judge(new Map(), scored, none).missing).toEqual(scored);
  });
});

describe('the requirements of the revision', () => {
  it('are the 37 scenarios that were frozen with it', async () => {
    expect(await scoredScenarios()).toHaveLength(37);
  });
});
