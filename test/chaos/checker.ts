import { checkEnds } from './checks/ends.ts';
import { checkExcess } from './checks/excess.ts';
import { checkOutages } from './checks/outages.ts';
import { checkSignalled } from './checks/signalled.ts';
import { checkStreams } from './checks/streams.ts';
import { type History, historyOf } from './history.ts';
import type { CampaignRecord } from './records.ts';
import type { Violation } from './violation.ts';

/** Decides from the records of a campaign alone what was broken in it, in the order in which it happened. */
export function check(records: readonly CampaignRecord[]): Violation[] {
  return checkHistory(historyOf(records));
}

/** The same for records that are put together already. */
export function checkHistory(history: History): Violation[] {
  const violations = [
    ...checkSignalled(history),
    ...checkStreams(history),
    ...checkExcess(history),
    ...checkOutages(history),
    ...checkEnds(history),
  ];
  return violations.sort((one, other) => one.at - other.at);
}
