import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { BROKER } from './broker.ts';
import { DELIVERY } from './delivery.ts';
import { OVERVIEW } from './overview.ts';
import { DATASOURCE, panelOf } from './panel.ts';
import { PROCESS } from './process.ts';
import { PROXY } from './proxy.ts';
import { REFUSALS } from './refusals.ts';
import type { RowSketch } from './sketch.ts';
import { STREAMS } from './streams.ts';

const ROWS: readonly RowSketch[] = [OVERVIEW, STREAMS, DELIVERY, BROKER, REFUSALS, PROXY, PROCESS];

/** The dashboard that is shipped. */
export function listenGatewayDashboard(): Dashboard {
  const dashboard = new DashboardBuilder('Listen Gateway')
    .uid('listen-gateway')
    .description(
      'Streams, delivery, broker and upstreams of a Listen Gateway fleet. Needs deploy/prometheus/recording.yaml.',
    )
    .tags(['listen-gateway', 'mcp'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(instanceVariable());
  let id = 0;
  for (const { title, panels } of ROWS) {
    dashboard.withRow(new RowBuilder(title).id(++id));
    for (const panel of panels) dashboard.withPanel(panelOf(panel, ++id));
  }
  return dashboard.build();
}

function instanceVariable(): QueryVariableBuilder {
  return new QueryVariableBuilder('instance')
    .label('Instance')
    .datasource(DATASOURCE)
    .query('label_values(lg_streams_open{job="gateway"}, instance)')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: 'All', value: '$__all' });
}
