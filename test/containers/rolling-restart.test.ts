import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check, checkHistory } from '../chaos/checker.ts';
import { type History, historyOf } from '../chaos/history.ts';
import { type Population, serversSetting } from '../chaos/population.ts';
import type { CampaignRecord } from '../chaos/records.ts';
import { markdown, reportOf } from '../chaos/report.ts';
import { population } from '../chaos/worlds.ts';
import { BUILD_MS, ComposeFleet, DOWN_MS, UP_MS } from './compose-fleet.ts';
import type { ComposeInstance } from './compose-instance.ts';
import { FleetCampaign } from './fleet-campaign.ts';
import { byHost, checkReopens } from './reopen-budget.ts';

const HOSTS = 500;
/** Both restarts, with what is waited for around them. */
const CAMPAIGN_MS = 240_000;

let fleet: ComposeFleet;
const people: Population = population(6, { servers: 3, hosts: HOSTS, surge: 0, minutes: 3 });

beforeAll(async () => {
  const env = { CAMPAIGN_SERVERS: serversSetting(people) };
  fleet = await ComposeFleet.onFreePorts({ files: ['campaign.compose.yml'], env });
  await fleet.up();
}, BUILD_MS + UP_MS);
afterAll(() => fleet.down(), DOWN_MS);

/** Has hosts listen and backends publish, takes away instances one after the other, and tells what was seen of it. */
async function campaign(
  hosts: number,
  how: 'terminated' | 'killed',
  restarts: readonly [ComposeInstance, () => Promise<unknown>][],
): Promise<readonly CampaignRecord[]> {
  const running = await FleetCampaign.open(fleet, people, hosts);
  try {
    for (const [instance, restart] of restarts) await running.without(instance, how, restart);
    return await running.finish();
  } finally {
    await running.close();
  }
}

describe('a rolling restart behind nginx, one instance after the other,', { timeout: CAMPAIGN_MS }, () => {
  let seen: readonly CampaignRecord[] | undefined;

  const restarted = async () => {
    const [first, second] = fleet.instances;
    const restart = ({ name }: ComposeInstance) => fleet.compose(['restart', name]);
    seen = await campaign(HOSTS, 'terminated', [
      [first, () => restart(first)],
      [second, () => restart(second)],
    ]);
    return seen;
  };

  it('loses no accepted change, and breaks no other promise of the fault campaign (P-1.8, FIELD F1)', async () => {
    // Anew where this is a second try.
    const history = historyOf(await restarted());
    const violations = checkHistory(history);
    const report = reportOf(history, violations);
    console.log([report.totals, report.violations].map(markdown).join('\n\n'));
    expect(report.violations.rows).toEqual([]);
    // Of a restart without hosts or publishes that would say little.
    expect(history.attempts.filter(({ status }) => status === 202).length).toBeGreaterThan(100);
    expect(history.exits.map(({ service, how }) => [service, how])).toEqual([
      ['gateway-1', 0],
      ['gateway-2', 0],
    ]);
  });

  it('ends each stream with its result, costs a host one more opening for each instance, and leaves none without (P-1.8)', async () => {
    const history = historyOf(seen ?? (await restarted()));
    expect(byHost(history).size).toBe(HOSTS);
    expect(checkReopens(history, fleet.instances.length)).toEqual([]);
    const ended = history.streams.filter(({ ending }) => ending === 'complete');
    expect(new Set(ended.map(({ instance }) => instance))).toEqual(new Set(['gateway-1', 'gateway-2']));
    // All that both held, and what hosts that came in between found.
    expect(ended.length).toBeGreaterThan(HOSTS * 0.8);
  });

  it('would not have gone unnoticed where one notification of an accepted change was lost', async () => {
    const records = seen ?? (await restarted());
    const lost = soleSignal(historyOf(records));
    const kinds = check(records.filter((record) => record !== lost)).map(({ kind }) => kind);
    expect(kinds).toEqual(['unsignalled']);
  });
});

describe('an instance that is killed behind nginx', { timeout: CAMPAIGN_MS }, () => {
  it('is noticed by what tells a rolling restart from it: streams that were cut, and no good exit', async () => {
    const [killed] = fleet.instances;
    const kill = async () => {
      await fleet.compose(['kill', killed.name]);
      await killed.start();
    };
    const history = historyOf(await campaign(60, 'killed', [[killed, kill]]));
    expect(history.exits.map(({ service, how }) => [service, how])).toEqual([['gateway-1', 137]]);
    const offences = checkReopens(history, 1);
    expect(offences.length).toBeGreaterThan(5);
    for (const offence of offences) expect(offence).toMatch(/on gateway-1 was cut$/);
    // Yet nothing that was accepted is lost for streams that live on.
    expect(checkHistory(history)).toEqual([]);
  });
});

/** A notification that alone stands for an accepted change, on a stream that was there before and lived to the end. */
function soleSignal({ streams, overAt }: History): CampaignRecord {
  for (const { messages, acknowledgedAt, endedAt } of streams) {
    if (endedAt < overAt) continue;
    const last = messages.findLast((one) => one.type === 'notified' && one.key.startsWith('uri:'));
    // One that came at once may be of a change from before the stream.
    if (last !== undefined && last.at > acknowledgedAt + 6_000) return last;
  }
  throw new Error('no stream that lived was signalled of a resource');
}
