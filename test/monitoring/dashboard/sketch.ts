/** A query with what its lines are called. */
export type Line = readonly [expr: string, legend: string];

/** What a panel shows; how it looks follows from its unit. */
export interface PanelSketch {
  readonly title: string;
  /** What it means where it is not what one wants to see. */
  readonly description: string;
  readonly unit: Unit;
  readonly lines: readonly Line[];
  /** Of 24; 8 unless said otherwise. */
  readonly width?: number;
  /** One number in place of lines, which turns yellow and red from these values on. */
  readonly stat?: { readonly warnFrom: number; readonly alarmFrom: number } | 'plain';
}

/** As Grafana calls them: a bare number, things a second, a share of one, seconds, bytes, yes or no. */
export type Unit = 'short' | 'cps' | 'percentunit' | 's' | 'bytes' | 'bool';

export interface RowSketch {
  readonly title: string;
  readonly panels: readonly PanelSketch[];
}

/** The matchers of the instances that are chosen. */
export const GATEWAYS = 'job="gateway", instance=~"$instance"';
