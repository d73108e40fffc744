import { Counter, Gauge, Histogram } from 'prom-client';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** What a broker over the network reports; each method may be called at any time. */
export interface BrokerWatch {
  connected(role: string): void;
  disconnected(role: string, cause: unknown): void;
  probed(tookMs: number): void;
  refused(channel: string, cause: unknown): void;
  badPayload(serverId: string): void;
  caughtUp(serverId: string, missed: number, tookMs: number): void;
  readFailed(serverId: string, cause: unknown): void;
  gap(serverId: string): void;
  lost(serverId: string): void;
  fault(cause: unknown): void;
}

/** Puts what a broker reports into metrics and the log. */
export function watchBroker({ registry }: Metrics, log: Log): BrokerWatch {
  const metrics = brokerMetrics([registry]);
  const down = new Set<string>();
  return {
    connected: (role) => {
      metrics.connected.set({ role }, 1);
      metrics.disconnects.inc({ role }, 0);
      down.delete(role);
      log.info({ role }, 'broker connected');
    },
    disconnected: (role, cause) => {
      metrics.connected.set({ role }, 0);
      // A network's failure has no stack worth reading.
      const why = cause instanceof Error ? cause.message : String(cause);
      // Reported for each failed attempt to connect as well: the first says it all.
      if (down.has(role)) return log.debug({ role, why }, 'broker still unreachable');
      down.add(role);
      metrics.disconnects.inc({ role });
      log.warn({ role, why }, 'broker disconnected');
    },
    probed: (tookMs) => metrics.probe.observe(tookMs / 1000),
    refused: (channel, err) => log.error({ channel, err }, 'broker refuses the channel; check the ACL of its user'),
    badPayload: (serverId) => {
      metrics.badPayloads.inc();
      log.warn({ serverId }, 'skipped what is no change');
    },
    caughtUp: (serverId, missed, tookMs) => {
      metrics.catchUp.observe(tookMs / 1000);
      metrics.caughtUp.inc(missed);
      log.info({ serverId, missed, tookMs: Math.round(tookMs) }, 'caught up from the journal');
    },
    readFailed: (serverId, err) => log.warn({ serverId, err }, 'journal not read; trying again'),
    gap: (serverId) => {
      metrics.gaps.inc();
      log.warn({ serverId }, 'journal does not reach back to the last change seen');
    },
    lost: (serverId) => {
      metrics.lost.inc();
      log.error({ serverId }, 'a failover lost an accepted change; all instances report a gap');
    },
    fault: (err) => log.error({ err }, 'broker fault'),
  };
}

function brokerMetrics(registers: Metrics['registry'][]) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers });
  return {
    connected: new Gauge({
      name: 'lg_broker_connected',
      help: 'Whether a connection to the broker is up, by role.',
      labelNames: ['role'],
      registers,
    }),
    probe: histogram(
      'lg_broker_probe_seconds',
      'From the publish of a probe to its arrival on the receive connection.',
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ),
    catchUp: histogram(
      'lg_broker_catch_up_seconds',
      'Time to read what was missed from the journal of a server.',
      [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    ),
    disconnects: counter('lg_broker_disconnects_total', 'Connections to the broker that were lost, by role.', 'role'),
    badPayloads: counter('lg_broker_bad_payloads_total', 'Messages and journal entries that were no change.'),
    caughtUp: counter('lg_broker_caught_up_changes_total', 'Changes that were read from a journal after a break.'),
    lost: counter(
      'lg_broker_lost_changes_total',
      'Times that a failover lost a change that this process had accepted.',
    ),
    gaps: counter('lg_broker_gaps_total', 'Times that a journal did not reach back to the last change seen.'),
  };
}
