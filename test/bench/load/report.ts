import type { RecordableHistogram } from 'node:perf_hooks';
import type { LoadOptions } from './load-options.ts';
import type { LoadReport } from './load-test.ts';

/** Above it the delays are those of the program that measures. */
const BUSY_LIMIT = 0.8;

/** Whether every host heard of every change, and nothing else went wrong. */
export function isClean({ missed, ended, refused, published }: LoadReport): boolean {
  return missed === 0 && ended.completed + ended.cut === 0 && refused.size === 0 && published > 0;
}

/** The report for people. */
export function reportText(report: LoadReport, { streams, rate, withinMs }: LoadOptions): string {
  const { published, delivered, missed, ended } = report;
  const refusals = [...report.refused].map(([why, times]) => `${times} times: ${why}`);
  return [
    `streams           ${streams} opened in ${(report.openedInMs / 1_000).toFixed(1)} s, ` +
      `${ended.completed + ended.cut} ended early (${ended.completed} with the result, ${ended.cut} cut)`,
    `acknowledgement   ${quantiles(report.acknowledgements)}`,
    `changes           ${published} published, ${rate} a second; ${sum(report.refused.values())} refused`,
    `notifications     ${delivered} delivered, ${missed} missed within ${withinMs} ms`,
    `publish to host   ${quantiles(report.delays)}`,
    `this program      busy ${Math.round(100 * report.busy)} % of the time`,
    ...refusals,
    ...(report.unheard > 0
      ? [`${report.unheard} changes reached no instance although hosts listen: has the publisher the same Redis?`]
      : []),
    ...(report.busy > BUSY_LIMIT
      ? ['The delays are those of this program: lower --streams or --rate, or run it on more machines.']
      : []),
  ].join('\n');
}

function quantiles(histogram: RecordableHistogram): string {
  if (histogram.count === 0) return 'none';
  const ms = (microseconds: number) => `${(microseconds / 1_000).toFixed(1)} ms`;
  return `p50 ${ms(histogram.percentile(50))}, p99 ${ms(histogram.percentile(99))}, max ${ms(histogram.max)}`;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
