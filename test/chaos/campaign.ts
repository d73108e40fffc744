import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@listen-gateway/testkit';
import { DELIVERY_LIMIT_MS } from './checks/signalled.ts';
import { type CampaignRecord, type Effects, nowMs } from './records.ts';
import type { PlannedFault } from './schedule.ts';
import type { Service } from './service.ts';
import { openWorld, type World, type WorldSetting } from './world.ts';

export interface CampaignSetting extends WorldSetting {
  /** Ends before the first fault that is to begin after this time. */
  readonly lengthMs?: number;
  /** After the end of a fault every instance has to be whole again within this time. */
  readonly recoveryLimitMs?: number;
  /** Told what happens, for people who watch. */
  say?(line: string): void;
}

/** Half-open connections, a frozen Redis and a former master are noticed by then, and what was missed is caught up. */
const RECOVERY_LIMIT_MS = 10_000;

/** Runs one fault after the other over a world in which backends publish and hosts listen all the time. */
export async function runCampaign(
  setting: CampaignSetting,
  faults: Iterable<PlannedFault>,
): Promise<readonly CampaignRecord[]> {
  const world = await openWorld(setting);
  try {
    const endsAt = nowMs() + (setting.lengthMs ?? Number.POSITIVE_INFINITY);
    let settledAt = await settle(world, nowMs(), setting);
    for (const planned of faults) {
      await pause(planned.quietMs);
      if (nowMs() > endsAt) break;
      settledAt = await runFault(world, planned, setting);
    }
    await world.backends.close();
    // Who did not recover from the last fault has had its time.
    await settle(world, nowMs(), settledAt === undefined ? { ...setting, recoveryLimitMs: 3_000 } : setting);
    // So that the signals of the last changes are late at the earliest when all is over.
    await pause(DELIVERY_LIMIT_MS);
    return await world.finish();
  } finally {
    await world.close();
  }
}

async function runFault(
  world: World,
  { number, fault }: PlannedFault,
  setting: CampaignSetting,
): Promise<number | undefined> {
  const { name } = fault;
  setting.say?.(`${number}: ${name}`);
  const at = nowMs();
  let effects: Effects = {};
  let injectedAt = at;
  let healAt = at;
  try {
    effects = await fault.inject(world);
    injectedAt = nowMs();
    await pause(fault.holdMs);
  } finally {
    healAt = nowMs();
    await fault.heal(world);
  }
  const healedAt = nowMs();
  const settledAt = await settle(world, healedAt, setting);
  world.record({ type: 'fault', at, number, name, injectedAt, healAt, healedAt, settledAt, effects });
  setting.say?.(`   ${recovery(healedAt, settledAt)} ${effects.evidence ?? ''}`);
  return settledAt;
}

/**
 * Waits until each instance has proven that it hears of what is published after `since`, and every service says that it
 * is ready; undefined where one does not.
 */
async function settle(
  world: World,
  since: number,
  { recoveryLimitMs = RECOVERY_LIMIT_MS }: CampaignSetting,
): Promise<number | undefined> {
  const services = [...world.instances.map(({ service }) => service), ...world.publishers];
  const deaf = () => services.filter(({ name }) => world.beacons.settledSince(name) < since);
  let unready: readonly Service[] = services;
  const isWhole = async () => {
    if (deaf().length > 0) return false;
    const statuses = await Promise.all(services.map((service) => service.process.readiness()));
    unready = services.filter((_, index) => statuses[index] !== 200);
    return unready.length === 0;
  };
  try {
    await eventually(recoveryLimitMs, 'every service to be whole', isWhole);
    return nowMs();
  } catch {
    const missing = deaf().length > 0 ? deaf() : unready;
    for (const { name } of missing) world.record({ type: 'unsettled', at: nowMs(), service: name, since });
    return undefined;
  }
}

function recovery(healedAt: number, settledAt: number | undefined): string {
  return settledAt === undefined ? 'never settled' : `settled after ${((settledAt - healedAt) / 1_000).toFixed(1)} s`;
}
