import { readShipped } from '../deploy/repository.ts';

/** Where the dashboard is that is shipped. */
export const DASHBOARD = 'deploy/grafana/dashboards/listen-gateway.json';

interface ShownPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface ShownQuery {
  readonly title: string;
  readonly expr: string;
  /** The labels that its lines are called by. */
  readonly named: readonly string[];
}

const { panels } = JSON.parse(readShipped(DASHBOARD)) as { readonly panels: readonly ShownPanel[] };

/** The rows too, which have ids like the panels in them. */
export const IDS: readonly number[] = panels.map(({ id }) => id);

export const PANELS: readonly ShownPanel[] = panels.filter(({ type }) => type !== 'row');

/** Every query of the dashboard with what Grafana puts in the place of its variables. */
export const DASHBOARD_QUERIES: readonly ShownQuery[] = PANELS.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({
    title,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    named: Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label),
  })),
);
