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
import { DASHBOARD, DASHBOARD_QUERIES, IDS, PANELS } from './shipped-dashboard.ts';

describe('the dashboard', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await scrapeFleet();
  }, 120_000 + INSTALL_MS);

  // Written again by: npx vitest run --project monitoring dashboard -u
  it('is what its code says', async () => {
    const text = `${JSON.stringify(listenGatewayDashboard(), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(REPOSITORY, DASHBOARD));
  });

  it('asks for nothing that no service exports', () => {
    expect(
      DASHBOARD_QUERIES.flatMap(({ title, expr }) =>
        queryProblems(expr, fleet).map((problem) => `${title}: ${problem}`),
      ),
    ).toEqual([]);
  });

  it('calls lines by labels that they have', () => {
    for (const { title, named, expr } of DASHBOARD_QUERIES) {
      expect([...labelsOfQuery(expr, fleet)], `${title}: ${expr}`).toEqual(expect.arrayContaining([...named]));
    }
    expect([...labelsOfQuery('sum by (kind) (job_kind:lg_notifications:rate5m)', fleet)]).not.toContain('reason');
  });

  it('shows every metric that there is, itself or by what is recorded of it', () => {
    const shown = new Set(
      [...DASHBOARD_QUERIES, ...RECORDING_RULES, ...ALERT_RULES].flatMap(({ expr }) => metricsOf(expr)),
    );
    const ours = [...fleet.values()].flatMap((series) => [...series.keys()]).map(family);
    const missing = ours.filter((name) => !shown.has(name) && !/^lg_(nodejs|process)_/.test(name));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('leaves no recorded series unused, the alerts taken together with it', () => {
    const used = new Set(
      [...DASHBOARD_QUERIES, ...RECORDING_RULES, ...ALERT_RULES].flatMap(({ expr }) => metricsOf(expr)),
    );
    expect(RECORDING_RULES.map(({ record }) => record).filter((record) => !used.has(record))).toEqual([]);
  });

  it('lays its panels beside and beneath each other, each with a sentence and an id of its own', () => {
    expect(new Set(IDS).size).toBe(IDS.length);
    for (const { title, description, datasource, gridPos } of PANELS) {
      expect(description, title).toMatch(/\.$/);
      expect(datasource?.uid).toBe('$datasource');
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    }
    const cells = PANELS.flatMap(({ gridPos: { x, y, w, h } }) =>
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
    expect(globSync('deploy/grafana/dashboards/*', { cwd: REPOSITORY })).toEqual([DASHBOARD]);
  });
});

const metricsOf = (expr: string) => readQuery(expr).selectors.map(({ metric }) => family(metric));
const family = (name: string) => name.replace(/_(bucket|count|sum)$/, '');
