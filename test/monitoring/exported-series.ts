/** The values of each label of a metric. */
export type Labels = ReadonlyMap<string, ReadonlySet<string>>;
/** What a service exports, by the name that a query uses: a histogram is three. */
export type ExportedSeries = ReadonlyMap<string, Labels>;

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;

/** Reads what `/metrics` answers. */
export function readExposition(text: string): ExportedSeries {
  const exported = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', list = ''] = SERIES.exec(line) ?? [];
    if (name === '') throw new Error(`no series: ${line}`);
    const labels = exported.get(name) ?? new Map<string, Set<string>>();
    exported.set(name, labels);
    for (const [, label = '', value = ''] of list.matchAll(/(\w+)="([^"]*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  }
  return exported;
}
