import { type ChangeKind, NOTIFICATION_METHODS } from '@listen-gateway/protocol';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ALL_REASONS, type Reason } from './problem.ts';

/** How a request ended. */
export type Outcome = 'published' | 'replayed' | 'abandoned' | Reason;

/** What is counted of each request. */
export interface PublishMetrics {
  ended(outcome: Outcome, tookMs: number): void;
  published(kind: ChangeKind): void;
}

const OUTCOMES: readonly Outcome[] = ['published', 'replayed', 'abandoned', ...ALL_REASONS];
/** Refusals without the broker take no time, and would hide how long a publish takes. */
const ASKED_BROKER: ReadonlySet<Outcome> = new Set([
  'published',
  'replayed',
  'idempotency-key-reused',
  'broker-unavailable',
]);
const KINDS = Object.keys(NOTIFICATION_METHODS) as readonly ChangeKind[];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** The publisher's own metrics. */
export function publishMetrics(registry: Registry): PublishMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'lg_publish_requests_total',
    help: 'Requests to the publisher, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  const changes = new Counter({
    name: 'lg_changes_published_total',
    help: 'Changes that the broker took, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const duration = new Histogram({
    name: 'lg_publish_seconds',
    help: 'From a request to its answer, where the broker was asked.',
    buckets: SECONDS,
    registers,
  });
  // A series that starts at zero shows its first increase; one that appears with it does not.
  for (const outcome of OUTCOMES) requests.inc({ outcome }, 0);
  for (const kind of KINDS) changes.inc({ kind }, 0);
  return {
    ended(outcome, tookMs) {
      requests.inc({ outcome });
      if (ASKED_BROKER.has(outcome)) duration.observe(tookMs / 1000);
    },
    published: (kind) => changes.inc({ kind }),
  };
}
