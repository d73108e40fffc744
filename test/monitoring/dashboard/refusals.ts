import { GATEWAYS, type RowSketch } from './sketch.ts';

export const REFUSALS: RowSketch = {
  title: 'Refusals and authentication',
  panels: [
    {
      title: 'Listens refused',
      description: 'Before a byte was streamed, by reason. draining is usual at deploys.',
      unit: 'cps',
      lines: [['job_reason:lg_listens_refused:rate5m > 0', '{{reason}}']],
    },
    {
      title: 'Requests refused',
      description: 'By the gateway itself, listens among them, by status.',
      unit: 'cps',
      lines: [[`sum by (status) (rate(lg_requests_refused_total{${GATEWAYS}}[$__rate_interval])) > 0`, '{{status}}']],
    },
    {
      title: 'Not let in',
      description:
        'missing is how a host without a token begins; invalid and foreign rise after a key rotation that went wrong.',
      unit: 'cps',
      lines: [['job_reason:lg_auth_refused:rate5m > 0', '{{reason}}']],
    },
    {
      title: 'Time to know a token',
      description: 'Known already or not, over the fleet.',
      unit: 's',
      lines: [['job:lg_auth_seconds:p99_rate5m', 'p99']],
    },
    {
      title: 'Questions to issuers',
      description: 'Keys fetched and tokens introspected.',
      unit: 'cps',
      lines: [
        [
          `sum by (question, outcome) (rate(lg_auth_issuer_questions_total{${GATEWAYS}}[$__rate_interval]))`,
          '{{question}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Questions to authorizers',
      description: 'What a principal may watch, where a backend decides; remembered ones were not asked.',
      unit: 'cps',
      lines: [[`sum by (outcome) (rate(lg_authorizer_questions_total{${GATEWAYS}}[$__rate_interval]))`, '{{outcome}}']],
    },
  ],
};
