import type { ExportedSeries, Labels } from './exported-series.ts';
import { type Matcher, type Query, readQuery, type Selector } from './promql.ts';
import { RECORDING_RULES } from './rules.ts';

/** What each job exports. */
export type Fleet = ReadonlyMap<string, ExportedSeries>;

/** Labels that Prometheus gives every series. */
const TARGET_LABELS = ['job', 'instance', 'pod'];

/** What Prometheus itself knows, with its labels. */
const OWN_SERIES: ReadonlyMap<string, Labels> = new Map([
  ['up', new Map()],
  [
    'ALERTS',
    new Map([
      ['alertname', new Set(['ListenGateway.+'])],
      ['alertstate', new Set(['pending', 'firing'])],
      ['severity', new Set(['warning', 'critical'])],
    ]),
  ],
]);

/** What a query names that is not there. */
export function queryProblems(text: string, fleet: Fleet): readonly string[] {
  const query = readQuery(text);
  const grouped = labelsOfQuery(text, fleet);
  return [
    ...query.selectors.flatMap((selector) => selectorProblems(selector, labelsOf(selector, fleet), fleet)),
    ...query.labels.filter((label) => !grouped.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

/** The labels that what a query selects may have. */
export function labelsOfQuery(text: string, fleet: Fleet): ReadonlySet<string> {
  const { selectors } = readQuery(text);
  return new Set([
    ...TARGET_LABELS,
    ...selectors.flatMap((selector) => [...(labelsOf(selector, fleet)?.keys() ?? [])]),
  ]);
}

function selectorProblems({ metric, matchers }: Selector, labels: Labels | undefined, fleet: Fleet): readonly string[] {
  const job = jobOf(matchers);
  if (!isRecorded(metric) && metric !== 'ALERTS' && !fleet.has(job)) return [`${metric} is asked for without its job`];
  if (labels === undefined) return [`${job || 'no rule'} has no ${metric}`];
  return matchers.flatMap((matcher) => matcherProblems(metric, matcher, labels));
}

function matcherProblems(metric: string, { label, op, value }: Matcher, labels: Labels): readonly string[] {
  // Which instances there are is known to Prometheus alone.
  if (TARGET_LABELS.includes(label)) return [];
  const values = labels.get(label);
  if (values === undefined) return [`${metric} has no label ${label}`];
  const asked = op.endsWith('~') ? value.split('|') : [value];
  return asked.filter((one) => !values.has(one)).map((one) => `${metric} has no ${label}="${one}"`);
}

/** The labels of a metric, or of those that a recorded one is made of; undefined where there is no such metric. */
function labelsOf({ metric, matchers }: Selector, fleet: Fleet): Labels | undefined {
  const recorded = RECORDING_RULES.find(({ record }) => record === metric);
  if (recorded === undefined) return OWN_SERIES.get(metric) ?? fleet.get(jobOf(matchers))?.get(metric);
  const { selectors }: Query = readQuery(recorded.expr);
  return new Map(selectors.flatMap((selector) => [...(labelsOf(selector, fleet) ?? [])]));
}

const isRecorded = (metric: string) => metric.includes(':');
const jobOf = (matchers: readonly Matcher[]) =>
  matchers.find(({ label, op }) => label === 'job' && op === '=')?.value ?? '';
