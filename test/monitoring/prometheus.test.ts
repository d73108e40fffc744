import { setTimeout as pause } from 'node:timers/promises';
import { eventually, INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPrometheus, type PrometheusProcess } from './prometheus-process.ts';
import { ALERT_RULES, GROUPS, RECORDING_RULES } from './rules.ts';
import { DASHBOARD_QUERIES } from './shipped-dashboard.ts';
import { openWatchedFleet, type WatchedFleet } from './watched-fleet.ts';

const LONG_MS = 120_000;

let fleet: WatchedFleet;
let prometheus: PrometheusProcess;

beforeAll(
  async () => {
    fleet = await openWatchedFleet();
    const addressOf = ({ adminUrl }: { readonly adminUrl: string }) => new URL(adminUrl).host;
    prometheus = await openPrometheus({
      gateway: fleet.gateways.map(addressOf),
      publisher: [addressOf(fleet.publisher)],
    });
  },
  4 * LONG_MS + INSTALL_MS,
);
afterAll(async () => {
  await prometheus?.close();
  await fleet?.close();
}, LONG_MS);

interface RuleGroups {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
  }[];
}

/** The alerts that are pending or firing, with their jobs. */
const raised = async (selector = 'ALERTS') =>
  (await prometheus.query(selector)).map(({ metric }) => `${metric.alertname} ${metric.job}`);

describe('a real Prometheus over a real fleet', { timeout: 2 * LONG_MS }, () => {
  it('has a value for every recorded series once there is traffic', async () => {
    let without: readonly string[] = [];
    const valued = eventually(LONG_MS, 'a value of every recorded series', async () => {
      await fleet.traffic();
      const answers = await Promise.all(
        RECORDING_RULES.map(async ({ record }) => ({ record, samples: await prometheus.query(record) })),
      );
      without = answers.filter(({ samples }) => samples.length === 0).map(({ record }) => record);
      if (without.length > 0) await pause(1_000);
      return without.length === 0;
    });
    await valued.catch((cause: unknown) => {
      throw new Error(`there is none of: ${without.join(', ')}`, { cause });
    });
    // Over both instances, under one job.
    const open = await prometheus.query('job:lg_streams_open:sum');
    expect(open.map(({ metric }) => metric)).toEqual([{ __name__: 'job:lg_streams_open:sum', job: 'gateway' }]);
    expect(await prometheus.query('instance:lg_streams_open:ratio')).toHaveLength(2);
    const [delivery] = await prometheus.query('job:lg_publish_to_write_seconds:p99_rate5m');
    expect(delivery?.value).toBeGreaterThan(0);
  });

  it.each(DASHBOARD_QUERIES.map((query) => [query.title, query] as const))(
    'answers a query of the panel %s, by the labels that its lines are called by',
    async (_, { expr, named }) => {
      const samples = await prometheus.query(expr);
      for (const { metric } of samples) expect(Object.keys(metric), expr).toEqual(expect.arrayContaining([...named]));
      // Alerts and refusals are shown where there are any.
      if (!/ALERTS|> 0$/.test(expr)) expect(samples, expr).not.toEqual([]);
    },
  );

  it('evaluates every rule without an error, and has no alert fire while all is well', async () => {
    const { groups } = (await prometheus.api('rules')) as RuleGroups;
    expect(groups.map(({ name }) => name).sort()).toEqual(GROUPS.toSorted());
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(rules).toHaveLength(RECORDING_RULES.length + ALERT_RULES.length);
    // A busy machine may be slow for a moment, which is pending at most.
    expect(await raised('ALERTS{alertstate="firing"}')).toEqual([]);
  });

  it('raises alerts for an instance that is gone and for the Redis of all others', async () => {
    await fleet.gateways[1]?.kill();
    await fleet.redis.stop();
    const expected = [
      'ListenGatewayInstanceDown gateway',
      'ListenGatewayBrokerDisconnected gateway',
      'ListenGatewayBrokerDisconnected publisher',
      'ListenGatewayNotReady publisher',
    ];
    await eventually(LONG_MS, expected.join(', '), async () => {
      await pause(500);
      const alerts = await raised();
      return expected.every((alert) => alerts.includes(alert));
    });
  });
});
