import { Counter, type Registry } from 'prom-client';

/** Every status that the gateway refuses with; 408, 417, 431 and bad framing are what Node answers by itself. */
const STATUSES = [400, 401, 403, 404, 405, 406, 408, 413, 415, 417, 429, 431, 500, 502, 503, 504];

/** Counts requests that the gateway itself refused, listens among them, by status. */
export function refusalMetrics(registry: Registry): (status: number) => void {
  const refused = new Counter({
    name: 'lg_requests_refused_total',
    help: 'Requests that the gateway itself refused, listens among them, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  for (const status of STATUSES) refused.inc({ status }, 0);
  return (status) => refused.inc({ status });
}
