import { INSTALL_MS } from '@listen-gateway/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { scrapeFleet } from './fleet.ts';
import { type Fleet, queryProblems } from './query-problems.ts';
import { ALERT_RULES, RECORDING_RULES } from './rules.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await scrapeFleet();
}, 120_000 + INSTALL_MS);

const RULES = [
  ...RECORDING_RULES.map(({ record, expr }) => [record, expr] as const),
  ...ALERT_RULES.map(({ alert, labels, expr }) => [`${alert} (${labels.severity})`, expr] as const),
];

describe('the query of a rule', () => {
  it.each(RULES)('%s names nothing that its job does not export', (_, expr) => {
    expect(queryProblems(expr, fleet)).toEqual([]);
  });

  it.each([
    ['lg_streams_opened{job="gateway"}', 'gateway has no lg_streams_opened'],
    ['lg_publish_seconds_count{job="gateway"}', 'gateway has no lg_publish_seconds_count'],
    ['lg_streams_open', 'lg_streams_open is asked for without its job'],
    ['lg_streams_open{job=~"gateway"}', 'lg_streams_open is asked for without its job'],
    ['lg_streams_closed_total{job="gateway", cause="drain"}', 'lg_streams_closed_total has no label cause'],
    ['lg_streams_closed_total{job="gateway", reason!~"drain|slow"}', 'lg_streams_closed_total has no reason="slow"'],
    ['job:lg_streams_open:max', 'no rule has no job:lg_streams_open:max'],
    [
      'job_reason:lg_listens_refused:rate5m{reason="full"}',
      'job_reason:lg_listens_refused:rate5m has no reason="full"',
    ],
    ['sum by (tenant) (lg_streams_open{job="gateway"})', 'nothing has the label tenant'],
    ['up{job="gateway"} * on (job, tenant) up{job="publisher"}', 'nothing has the label tenant'],
  ])('would be found wrong: %s', (expr, problem) => {
    expect(queryProblems(expr, fleet)).toEqual([problem]);
  });

  it('would be found to be none: an unfinished one, and one for whatever has a label', () => {
    expect(() => queryProblems('sum(lg_streams_open{job="gateway"}', fleet)).toThrow('no PromQL');
    expect(() => queryProblems('{job="gateway"}', fleet)).toThrow('a selector without a metric');
  });
});
