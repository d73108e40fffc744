import { describe, expect, it } from 'vitest';
import { historyOf } from '../chaos/history.ts';
import type { CampaignRecord, Ending } from '../chaos/records.ts';
import { checkReopens } from './reopen-budget.ts';

const FILTER = { toolsListChanged: true };
const OVER_AT = 100_000;

/** A stream of the one host, and how it ended if it did. */
function stream(number: number, at: number, end?: { at: number; how: Ending; result?: false }): CampaignRecord[] {
  const on = { stream: number };
  const opened: CampaignRecord[] = [
    { type: 'asked', at, ...on, instance: 'one', server: 's', id: '7', requested: FILTER },
    { type: 'acknowledged', at: at + 10, ...on, tag: '7', honored: FILTER },
  ];
  if (end === undefined) return opened;
  const completed: CampaignRecord = { type: 'completed', at: end.at - 1, ...on, tag: '7', id: '7' };
  const isCompleted = end.how === 'complete' && end.result !== false;
  return [...opened, ...(isCompleted ? [completed] : []), { type: 'ended', at: end.at, ...on, how: end.how }];
}

const offences = (...records: readonly CampaignRecord[][]) =>
  checkReopens(historyOf([...records.flat(), { type: 'over', at: OVER_AT }]), 1);

describe('the budget of a rolling restart', () => {
  const complete = { at: 20_000, how: 'complete' } as const;

  it('has room for a host whose stream ended with its result, and that is back', () => {
    expect(offences(stream(1, 1_000, complete), stream(2, 20_100))).toEqual([]);
    expect(offences(stream(1, 1_000, { at: OVER_AT - 1_000, how: 'left' })), 'it comes back soon').toEqual([]);
  });

  it('has none for a stream that was cut or ended without its result', () => {
    const back = stream(2, 20_100);
    expect(offences(stream(1, 1_000, { ...complete, how: 'cut' }), back)).toEqual(['stream 1 on one was cut']);
    const silent = stream(1, 1_000, { ...complete, result: false });
    expect(offences(silent, back)).toEqual(['stream 1 ended without its result']);
  });

  it('has none for a host that has to open more often than instances were restarted', () => {
    const twice = [stream(1, 1_000, complete), stream(2, 20_100, { ...complete, at: 30_000 }), stream(3, 30_100)];
    expect(offences(...twice)).toEqual([expect.stringContaining('had to open 2 times again')]);
  });

  it('has none for a host that is left without a stream', () => {
    expect(offences(stream(1, 1_000, complete))).toEqual([expect.stringContaining('has no stream again')]);
    expect(offences(stream(1, 1_000, { ...complete, how: 'left' }))).toEqual([expect.stringContaining('no stream')]);
  });
});
