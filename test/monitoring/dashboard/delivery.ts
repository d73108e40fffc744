import { GATEWAYS, type RowSketch } from './sketch.ts';

export const DELIVERY: RowSketch = {
  title: 'Delivery',
  panels: [
    {
      title: 'Publish to write',
      description:
        'From when Redis took a change to the last write of the pass that carried it, by the clocks of both.',
      unit: 's',
      lines: [
        ['job:lg_publish_to_write_seconds:p50_rate5m', 'p50'],
        ['job:lg_publish_to_write_seconds:p95_rate5m', 'p95'],
        ['job:lg_publish_to_write_seconds:p99_rate5m', 'p99'],
      ],
    },
    {
      title: 'Publish to write p99, by instance',
      description: 'One that is slower than the others has too little CPU, too many streams, or another clock.',
      unit: 's',
      lines: [
        [
          `histogram_quantile(0.99, sum by (instance, le) (rate(lg_publish_to_write_seconds_bucket{${GATEWAYS}}[$__rate_interval])))`,
          '{{instance}}',
        ],
      ],
    },
    {
      title: 'Fan-out',
      description: 'From the first mark of a pass to its last write, over the fleet.',
      unit: 's',
      lines: [['job:lg_fan_out_seconds:p99_rate5m', 'p99']],
    },
    {
      title: 'Changes received',
      description: 'By kind, every instance counted: one change for two instances is two.',
      unit: 'cps',
      lines: [['job_kind:lg_changes_received:rate5m', '{{kind}}']],
    },
    {
      title: 'Notifications',
      description: 'By kind; coalesced ones were owed already, so the stream was told once.',
      unit: 'cps',
      lines: [
        ['job_kind:lg_notifications:rate5m', '{{kind}}'],
        ['job_kind:lg_notifications_coalesced:rate5m', '{{kind}}, coalesced'],
      ],
    },
    {
      title: 'Writes',
      description: 'Streams that passes have written to; a pass writes all that a stream owes at once.',
      unit: 'cps',
      lines: [
        ['job:lg_fan_out_writes:rate5m', 'fleet'],
        [`rate(lg_fan_out_writes_total{${GATEWAYS}}[$__rate_interval])`, '{{instance}}'],
      ],
    },
  ],
};
