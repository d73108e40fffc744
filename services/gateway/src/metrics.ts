import { type Census, CLOSE_REASONS, REFUSALS, type StreamLimits, type StreamObserver } from '@listen-gateway/core';
import { type ChangeKind, NOTIFICATION_METHODS } from '@listen-gateway/protocol';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { CONSULTATIONS, type Consultation } from './authorization/callback-authorizer.ts';

/** From a tick of the event loop to a drain window. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** From a host that came and went to one that stayed for a day; hosts count re-opens by these ages (P-5). */
const AGES_S = [1, 10, 60, 300, 900, 3600, 21_600, 86_400];

const KINDS = Object.keys(NOTIFICATION_METHODS) as readonly ChangeKind[];

/** What an operator can see of the streams; docs/metrics lists each. Labels come from closed unions only. */
export function streamMetrics(registry: Registry, census: () => Census, limits: StreamLimits): StreamObserver {
  createStreamGauges(registry, census, limits);
  const metrics = createStreamMetrics(registry);
  // A series that starts at zero shows its first increase; one that appears with it does not.
  for (const reason of CLOSE_REASONS) metrics.closed.inc({ reason }, 0);
  for (const reason of REFUSALS) metrics.refused.inc({ reason }, 0);
  for (const kind of KINDS) {
    for (const counter of [metrics.changes, metrics.notifications, metrics.coalesced]) counter.inc({ kind }, 0);
  }

  return {
    opened: (_stream, waitedMs) => {
      metrics.opened.inc();
      metrics.acknowledgement.observe(waitedMs / 1000);
    },
    closed: (_stream, reason, livedMs) => {
      metrics.closed.inc({ reason });
      metrics.age.observe(livedMs / 1000);
    },
    refused: (_serverId, reason) => metrics.refused.inc({ reason }),
    marked: (kind, owing, merged) => {
      metrics.changes.inc({ kind });
      metrics.notifications.inc({ kind }, owing);
      metrics.coalesced.inc({ kind }, merged);
    },
    passed: (streams, tookMs) => {
      metrics.writes.inc(streams);
      metrics.pass.observe(tookMs / 1000);
    },
    written: (ageMs) => metrics.publishToWrite.observe(ageMs / 1000),
    gap: () => metrics.gaps.inc(),
  };
}

/** Counts hosts that were given up because they acknowledge nothing. */
export function lostHostMetrics(registry: Registry): () => void {
  const help = 'Connections of hosts that were cut because nothing sent to them was acknowledged any more.';
  const lost = new Counter({ name: 'lg_hosts_lost_total', help, registers: [registry] });
  return () => lost.inc();
}

/** Counts questions to the backends that decide what may be watched, by how the answer was come by. */
export function authorizerMetrics(registry: Registry): (consultation: Consultation) => void {
  const questions = new Counter({
    name: 'lg_authorizer_questions_total',
    help: 'Questions of what a principal may watch, by how the answer was come by.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of CONSULTATIONS) questions.inc({ outcome }, 0);
  return (outcome) => questions.inc({ outcome });
}

/** Asked for when they are scraped, so that they cost nothing in between. */
function createStreamGauges(registry: Registry, census: () => Census, { streamsPerInstance }: StreamLimits): void {
  const gauge = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(count());
      },
    });
  gauge('lg_streams_open', 'Streams that are open now, those still opening included.', () => census().open);
  gauge('lg_streams_limit', 'Streams that this instance holds at most.', () => streamsPerInstance);
  gauge('lg_streams_blocked', 'Streams whose hosts do not read what was sent to them.', () => census().blocked);
  gauge('lg_outbox_notifications', 'Notifications that blocked streams owe their hosts.', () => census().owed);
  gauge(
    'lg_servers_attached',
    'Servers that there are streams for and changes are received of.',
    () => census().servers,
  );
}

function createStreamMetrics(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers });
  return {
    opened: counter('lg_streams_opened_total', 'Streams that were acknowledged.'),
    closed: counter('lg_streams_closed_total', 'Acknowledged streams that are over, by close reason.', 'reason'),
    refused: counter('lg_listens_refused_total', 'Listens refused before a byte was streamed, by reason.', 'reason'),
    acknowledgement: histogram('lg_acknowledgement_seconds', 'From a listen request to its acknowledgement.', SECONDS),
    age: histogram('lg_stream_age_seconds', 'How long streams had been open when they ended.', AGES_S),
    changes: counter('lg_changes_received_total', 'Changes received from the broker, by kind.', 'kind'),
    notifications: counter('lg_notifications_total', 'Notifications owed to streams, by kind.', 'kind'),
    coalesced: counter(
      'lg_notifications_coalesced_total',
      'Notifications that a stream owed already, by kind.',
      'kind',
    ),
    pass: histogram('lg_fan_out_seconds', 'From the first mark of a fan-out pass to its last write.', SECONDS),
    publishToWrite: histogram(
      'lg_publish_to_write_seconds',
      'From when the broker took a change to the last write of the pass that carried it, by the clocks of both.',
      [...SECONDS, 5, 10, 30],
    ),
    writes: counter('lg_fan_out_writes_total', 'Streams visited by fan-out passes.'),
    gaps: counter('lg_gaps_total', 'Times that changes may have been missed and streams were told of everything.'),
  };
}
