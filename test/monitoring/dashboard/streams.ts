import { GATEWAYS, type RowSketch } from './sketch.ts';

export const STREAMS: RowSketch = {
  title: 'Streams',
  panels: [
    {
      title: 'Open, by instance',
      description:
        'Uneven after a restart until hosts come and go; a load balancer that counts connections evens it out.',
      unit: 'short',
      lines: [[`lg_streams_open{${GATEWAYS}}`, '{{instance}}']],
    },
    {
      title: 'Of the limit, by instance',
      description: 'Share of limits.streamsPerInstance that is taken.',
      unit: 'percentunit',
      lines: [['instance:lg_streams_open:ratio{instance=~"$instance"}', '{{instance}}']],
    },
    {
      title: 'Opened and closed',
      description: 'Streams of the fleet, by how they ended: drain at deploys, host-gone all the time.',
      unit: 'cps',
      lines: [
        ['job:lg_streams_opened:rate5m', 'opened'],
        ['job_reason:lg_streams_closed:rate5m > 0', '{{reason}}'],
      ],
    },
    {
      title: 'Time to acknowledgement',
      description:
        'From a listen request to its acknowledgement, over the fleet; the channel of a new server is attached in it.',
      unit: 's',
      lines: [
        ['job:lg_acknowledgement_seconds:p50_rate5m', 'p50'],
        ['job:lg_acknowledgement_seconds:p99_rate5m', 'p99'],
      ],
    },
    {
      title: 'Age of streams that ended',
      description: 'Hosts that are cut early often stop coming back; a low median is a fault or a time-out on the way.',
      unit: 's',
      lines: [
        [
          `histogram_quantile(0.5, sum by (le) (rate(lg_stream_age_seconds_bucket{${GATEWAYS}}[$__rate_interval])))`,
          'p50',
        ],
        [
          `histogram_quantile(0.1, sum by (le) (rate(lg_stream_age_seconds_bucket{${GATEWAYS}}[$__rate_interval])))`,
          'p10',
        ],
      ],
    },
    {
      title: 'Blocked, and what they owe',
      description:
        'Streams whose hosts do not read, and the notifications that wait for them; bounded by what each asked for.',
      unit: 'short',
      lines: [
        [`lg_streams_blocked{${GATEWAYS}}`, 'blocked, {{instance}}'],
        [`lg_outbox_notifications{${GATEWAYS}}`, 'owed, {{instance}}'],
      ],
    },
    {
      title: 'Hosts lost',
      description: 'Connections that were given up because nothing sent on them was acknowledged any more.',
      unit: 'cps',
      lines: [[`rate(lg_hosts_lost_total{${GATEWAYS}}[$__rate_interval])`, '{{instance}}']],
    },
    {
      title: 'Servers attached',
      description: 'Servers whose channel an instance receives, which is work for Redis.',
      unit: 'short',
      lines: [[`lg_servers_attached{${GATEWAYS}}`, '{{instance}}']],
    },
    {
      title: 'Ready',
      description: 'Whether load balancers should send it anything new; 0 while it drains.',
      unit: 'bool',
      lines: [[`lg_ready{${GATEWAYS}}`, '{{instance}}']],
    },
  ],
};
