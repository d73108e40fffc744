import { Counter, Histogram, type Registry } from 'prom-client';
import type { ExchangeOutcome } from './exchange.ts';

const OUTCOMES = Object.keys({
  answered: true,
  failed: true,
  cut: true,
  'host-gone': true,
} satisfies Record<ExchangeOutcome['kind'], true>);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];

/** Counts requests forwarded to upstreams, by how they ended. */
export function proxyMetrics(
  registry: Registry,
): (outcome: ExchangeOutcome['kind'], tookMs: number | undefined) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'lg_proxy_requests_total',
    help: 'Requests forwarded to upstreams, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'lg_proxy_seconds',
    help: 'From a forwarded request to the end of its answer; streams of sessions (GET) are not timed.',
    buckets: SECONDS,
    registers,
  });
  for (const outcome of OUTCOMES) requests.inc({ outcome }, 0);
  return (outcome, tookMs) => {
    requests.inc({ outcome });
    if (tookMs !== undefined) seconds.observe(tookMs / 1000);
  };
}
