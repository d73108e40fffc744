import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueColorMode,
  BigValueGraphMode,
  type DataSourceRef,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { PanelSketch } from './sketch.ts';

/** Whatever Prometheus the variable names. */
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '$datasource' };

export function panelOf(sketch: PanelSketch, id: number): Builder<Panel> {
  return (sketch.stat === undefined ? linesOf(sketch) : statOf(sketch, sketch.stat)).id(id);
}

function linesOf(sketch: PanelSketch): LinesBuilder {
  const legend = new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true);
  return describe(new LinesBuilder(), sketch)
    .height(8)
    .span(sketch.width ?? 8)
    .axisSoftMin(0)
    .fillOpacity(10)
    .showPoints(VisibilityMode.Never)
    .legend(legend)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi));
}

function statOf(sketch: PanelSketch, stat: NonNullable<PanelSketch['stat']>): StatBuilder {
  const steps: Threshold[] = [{ value: null, color: stat === 'plain' ? 'blue' : 'green' }];
  if (stat !== 'plain') steps.push({ value: stat.warnFrom, color: 'yellow' }, { value: stat.alarmFrom, color: 'red' });
  return describe(new StatBuilder(), sketch)
    .height(4)
    .span(sketch.width ?? 3)
    .graphMode(BigValueGraphMode.Area)
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps));
}

function describe<Kind extends LinesBuilder | StatBuilder>(panel: Kind, sketch: PanelSketch): Kind {
  panel.title(sketch.title).description(sketch.description).datasource(DATASOURCE).unit(sketch.unit);
  for (const [index, [expr, legend]] of sketch.lines.entries()) {
    const refId = String.fromCharCode('A'.charCodeAt(0) + index);
    panel.withTarget(
      new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).legendFormat(legend).range(),
    );
  }
  return panel;
}
