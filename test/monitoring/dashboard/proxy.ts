import { GATEWAYS, type RowSketch } from './sketch.ts';

export const PROXY: RowSketch = {
  title: 'Proxy',
  panels: [
    {
      title: 'Forwarded requests',
      description: 'By how they ended: failed got no head, cut broke off after it.',
      unit: 'cps',
      lines: [['job_outcome:lg_proxy_requests:rate5m', '{{outcome}}']],
    },
    {
      title: 'Share without a whole answer',
      description: 'Upstreams that refuse, are silent or break off, over the fleet and by instance.',
      unit: 'percentunit',
      lines: [
        ['job:lg_proxy_requests_failed:ratio_rate5m', 'fleet'],
        [
          `sum by (instance) (rate(lg_proxy_requests_total{${GATEWAYS}, outcome=~"failed|cut"}[$__rate_interval])) / sum by (instance) (rate(lg_proxy_requests_total{${GATEWAYS}}[$__rate_interval]))`,
          '{{instance}}',
        ],
      ],
    },
    {
      title: 'Time of a forwarded request',
      description: 'To the end of its answer, streams included.',
      unit: 's',
      lines: [
        ['job:lg_proxy_seconds:p50_rate5m', 'p50'],
        ['job:lg_proxy_seconds:p90_rate5m', 'p90'],
        ['job:lg_proxy_seconds:p99_rate5m', 'p99'],
      ],
    },
  ],
};
