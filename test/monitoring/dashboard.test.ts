import { globSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY, readShipped } from '../deploy/repository.ts';
import { listenGatewayDashboard } from './dashboard/dashboard.ts';
import { scrapeFleet } from './fleet.ts';
import { readQuery } from './promql.ts';
import { type Fleet, labelsOfQuery, queryProblems } from './query-problems.ts';
import { ALERT_RULES, RECORDING_RULES } from './rules.ts';

const PATH = 'deploy/grafana/dashboards/listen-gateway.json';

interface ShownPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string; readonly refId: string }[];
}

const shipped = JSON.parse(readShipped(PATH)) as { readonly uid: string; readonly panels: readonly ShownPanel[] };
const panels = shipped.panels.filter(({ type }) => type !== 'row');
/** With what Grafana puts in the place of its variables. */
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, legendFormat, expr: filled(expr) })),
);

function filled(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
}

describe('the dashboard', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await scrapeFleet();
  }, 120_000 + INSTALL_MS);

  // Written again by: npx vitest run --project monitoring dashboard -u
  it('is what its code says', async () => {
    const text = `${JSON.stringify(listenGatewayDashboard(), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(REPOSITORY, PATH));
  });

  it('asks for nothing that no service exports', () => {
    expect(
      queries.flatMap(({ title, expr }) => queryProblems(expr, fleet).map((problem) => `${title}: ${problem}`)),
    ).toEqual([]);
  });

  it('calls lines by labels that they have', () => {
    for (const { title, legendFormat, expr } of queries) {
      const named = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label);
      expect([...labelsOfQuery(expr, fleet)], `${title}: ${legendFormat}`).toEqual(expect.arrayContaining(named));
    }
    expect([...labelsOfQuery('sum by (kind) (job_kind:lg_notifications:rate5m)', fleet)]).not.toContain('reason');
  });

  it('shows every metric that there is, itself or by what is recorded of it', () => {
    const shown = new Set([...queries, ...RECORDING_RULES, ...ALERT_RULES].flatMap(({ expr }) => metricsOf(expr)));
    const ours = [...fleet.values()].flatMap((series) => [...series.keys()]).map(family);
    const missing = ours.filter((name) => !shown.has(name) && !/^lg_(nodejs|process)_/.test(name));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('leaves no recorded series unused, the alerts taken together with it', () => {
    const used = new Set([...queries, ...RECORDING_RULES, ...ALERT_RULES].flatMap(({ expr }) => metricsOf(expr)));
    expect(RECORDING_RULES.map(({ record }) => record).filter((record) => !used.has(record))).toEqual([]);
  });

  it('lays its panels beside and beneath each other, each with a sentence and an id of its own', () => {
    expect(new Set(shipped.panels.map(({ id }) => id)).size).toBe(shipped.panels.length);
    for (const { title, description, datasource, gridPos } of panels) {
      expect(description, title).toMatch(/\.$/);
      expect(datasource?.uid).toBe('$datasource');
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('the provisioning of Grafana', () => {
  const read = (path: string) => parse(readShipped(`deploy/grafana/provisioning/${path}`)) as Record<string, unknown>;

  it('names the Prometheus of the compose file, and the folder with the dashboard', () => {
    expect(read('datasources/prometheus.yaml')).toMatchObject({
      apiVersion: 1,
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
    });
    expect(read('dashboards/listen-gateway.yaml')).toMatchObject({
      apiVersion: 1,
      providers: [{ type: 'file', options: { path: '/etc/grafana/dashboards' } }],
    });
    expect(globSync('deploy/grafana/dashboards/*', { cwd: REPOSITORY })).toEqual([PATH]);
  });
});

const metricsOf = (expr: string) => readQuery(expr).selectors.map(({ metric }) => family(metric));
const family = (name: string) => name.replace(/_(bucket|count|sum)$/, '');
