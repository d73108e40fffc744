/** What is said of a metric, or seen of it. */
export interface Metric {
  readonly type: string;
  /** By label; an empty set leaves the values open. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Metrics = ReadonlyMap<string, Metric>;

/** The tables of a page whose rows begin with a metric's name: metric, type and unit, labels, what it says. */
export function readMetricTables(page: string): Metrics {
  const metrics = new Map<string, Metric>();
  for (const line of page.split('\n').filter((one) => one.startsWith('| `lg_'))) {
    const [, names = '', type = '', labels = '', says = ''] = line.split('|').map((cell) => cell.trim());
    if (!/^\w+, \S/.test(type) || says === '') throw new Error(`a row lacks its type, unit or meaning: ${line}`);
    for (const name of expand(names.replaceAll('`', ''))) {
      if (metrics.has(name)) throw new Error(`${name} stands there twice`);
      metrics.set(name, { type: type.split(',', 1)[0] ?? '', labels: readLabels(labels) });
    }
  }
  return metrics;
}

/** What several pages say; of one that stands on more than one, the values of its labels are those of all. */
export function together(pages: readonly Metrics[]): Metrics {
  const all = new Map<string, Metric>();
  for (const [name, { type, labels }] of pages.flatMap((page) => [...page])) {
    const merged = new Map(all.get(name)?.labels);
    for (const [label, values] of labels) merged.set(label, new Set([...(merged.get(label) ?? []), ...values]));
    all.set(name, { type, labels: merged });
  }
  return all;
}

/** `` `question`: `keys`, `introspection`; `outcome` ``: labels, and the values of those that have a closed set. */
function readLabels(cell: string): Metric['labels'] {
  const labels = new Map<string, ReadonlySet<string>>();
  for (const label of cell.split(';').filter((part) => part.trim() !== '')) {
    const [name = '', ...values] = [...label.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '');
    labels.set(name, new Set(values));
  }
  return labels;
}

/** `a_{b,c}_d` is `a_b_d` and `a_c_d`. */
function expand(name: string): string[] {
  const [, before = name, choices, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return choices === undefined ? [name] : choices.split(',').map((choice) => before + choice + after);
}

/** Reads what a service exposes at `/metrics`. */
export function readExposition(text: string): Metrics {
  const metrics = new Map<string, { type: string; labels: Map<string, Set<string>> }>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    metrics.set(name, { type, labels: new Map() });
  }
  for (const [, sample = '', series = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    const metric = metrics.get(sample) ?? metrics.get(sample.replace(/_(bucket|sum|count)$/, ''));
    if (metric === undefined) throw new Error(`${sample} has no type`);
    for (const [, label = '', value = ''] of series.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label === 'le') continue;
      metric.labels.set(label, (metric.labels.get(label) ?? new Set<string>()).add(value));
    }
  }
  return metrics;
}
