import { GATEWAYS, type RowSketch } from './sketch.ts';

export const BROKER: RowSketch = {
  title: 'Broker and publisher',
  panels: [
    {
      title: 'Connected',
      description: 'Whether all connections of a role are up.',
      unit: 'bool',
      lines: [
        [`lg_broker_connected{${GATEWAYS}}`, '{{instance}}, {{role}}'],
        ['lg_broker_connected{job="publisher"}', 'publisher {{instance}}, {{role}}'],
      ],
    },
    {
      title: 'Probe of the receive path',
      description: 'From a publish to the own channel of an instance until it comes back.',
      unit: 's',
      lines: [
        ['job:lg_broker_probe_seconds:p50_rate5m', 'p50'],
        ['job:lg_broker_probe_seconds:p99_rate5m', 'p99'],
      ],
    },
    {
      title: 'Breaks, and what was read again',
      description: 'Connections lost, and changes that were read from journals after a break. Neither is a loss.',
      unit: 'short',
      lines: [
        [`sum by (role) (increase(lg_broker_disconnects_total{${GATEWAYS}}[$__rate_interval]))`, 'lost, {{role}}'],
        [`sum(increase(lg_broker_caught_up_changes_total{${GATEWAYS}}[$__rate_interval]))`, 'changes read again'],
        [`sum(increase(lg_broker_catch_up_seconds_count{${GATEWAYS}}[$__rate_interval]))`, 'catch-ups'],
      ],
    },
    {
      title: 'Gaps and bad payloads',
      description:
        'Gaps tell hosts to read everything again; bad payloads reach nobody; lost changes are of a failover.',
      unit: 'short',
      lines: [
        [`sum(increase(lg_gaps_total{${GATEWAYS}}[$__rate_interval]))`, 'gaps told to streams'],
        [`sum(increase(lg_broker_gaps_total{${GATEWAYS}}[$__rate_interval]))`, 'journals too short'],
        [`sum(increase(lg_broker_bad_payloads_total{${GATEWAYS}}[$__rate_interval]))`, 'bad payloads'],
        ['sum(increase(lg_broker_lost_changes_total{job="publisher"}[$__rate_interval]))', 'lost changes, publisher'],
        [`sum(increase(lg_broker_lost_changes_total{${GATEWAYS}}[$__rate_interval]))`, 'lost changes, gateway'],
      ],
    },
    {
      title: 'Publishes',
      description: 'Requests to publishers, by how they ended, and the changes that Redis took.',
      unit: 'cps',
      lines: [
        ['job_outcome:lg_publish_requests:rate5m > 0', '{{outcome}}'],
        ['sum without (kind) (job_kind:lg_changes_published:rate5m)', 'changes'],
      ],
    },
    {
      title: 'Time of a publish',
      description: 'From a request to its answer, where Redis was asked.',
      unit: 's',
      lines: [
        ['job:lg_publish_seconds:p50_rate5m', 'p50'],
        ['job:lg_publish_seconds:p99_rate5m', 'p99'],
      ],
    },
  ],
};
