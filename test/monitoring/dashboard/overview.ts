import type { RowSketch } from './sketch.ts';

export const OVERVIEW: RowSketch = {
  title: 'Overview',
  panels: [
    {
      title: 'Gateways up',
      description: 'Instances whose admin port answers.',
      unit: 'short',
      stat: 'plain',
      lines: [['sum without (instance, pod) (up{job="gateway"})', 'gateways']],
    },
    {
      title: 'Publishers up',
      description: 'Publishers whose admin port answers.',
      unit: 'short',
      stat: 'plain',
      lines: [['sum without (instance, pod) (up{job="publisher"})', 'publishers']],
    },
    {
      title: 'Streams open',
      description: 'On all instances.',
      unit: 'short',
      stat: 'plain',
      lines: [['job:lg_streams_open:sum', 'streams']],
    },
    {
      title: 'Of the limit',
      description: 'Share of the streams that the fleet may hold; at the limit listens are refused.',
      unit: 'percentunit',
      stat: { warnFrom: 0.7, alarmFrom: 0.8 },
      lines: [['job:lg_streams_open:ratio', 'of the limit']],
    },
    {
      title: 'Publish to write, p99',
      description: 'From when Redis took a change to its last write; 99 of 100 are faster.',
      unit: 's',
      stat: { warnFrom: 0.5, alarmFrom: 1 },
      lines: [['job:lg_publish_to_write_seconds:p99_rate5m', 'p99']],
    },
    {
      title: 'Publishes failing',
      description: 'Share of publishes that got 500 or 503.',
      unit: 'percentunit',
      stat: { warnFrom: 0.01, alarmFrom: 0.05 },
      lines: [['job:lg_publish_requests_failed:ratio_rate5m', 'failing']],
    },
    {
      title: 'Listens refused',
      description: 'Share of listens that found a full fleet or one without Redis.',
      unit: 'percentunit',
      stat: { warnFrom: 0.01, alarmFrom: 0.05 },
      lines: [['job:lg_listens_refused_by_fleet:ratio_rate5m', 'refused']],
    },
    {
      title: 'Hosts that do not read',
      description: 'Share of open streams that are blocked.',
      unit: 'percentunit',
      stat: { warnFrom: 0.02, alarmFrom: 0.05 },
      lines: [['job:lg_streams_blocked:ratio', 'blocked']],
    },
    {
      title: 'Alerts',
      description: 'What fires; each alert has its part in docs/operations.',
      unit: 'short',
      width: 24,
      lines: [
        [
          'count by (alertname, severity) (ALERTS{alertname=~"ListenGateway.+", alertstate="firing"})',
          '{{alertname}}, {{severity}}',
        ],
      ],
    },
  ],
};
