import type { Filter } from '@listen-gateway/protocol';
import type { CampaignRecord, ChangeKey, FaultRecord } from './records.ts';
import { type StreamHistory, streamsIn } from './stream-history.ts';

export type RecordOf<Type extends CampaignRecord['type']> = Extract<CampaignRecord, { type: Type }>;

/** One attempt to publish, and its answer. */
export interface Attempt extends Omit<RecordOf<'published'>, 'at' | 'type'> {
  readonly askedAt: number;
  answeredAt: number;
  /** 0 where there was no answer. */
  status: number;
  replayed: boolean;
  retryAfterS: number | undefined;
}

/** The records of a campaign, put together by what they are about. */
export interface History {
  readonly streams: readonly StreamHistory[];
  readonly attempts: readonly Attempt[];
  readonly faults: readonly FaultRecord[];
  readonly settled: readonly RecordOf<'settled'>[];
  readonly unsettled: readonly RecordOf<'unsettled'>[];
  readonly health: readonly RecordOf<'health'>[];
  readonly stopped: readonly Stop[];
  readonly exits: readonly RecordOf<'exited'>[];
  readonly gaps: readonly RecordOf<'gap'>[];
  readonly catchUps: readonly RecordOf<'caught-up'>[];
  readonly closes: readonly RecordOf<'closed'>[];
  readonly overAt: number;
}

/** A time in which the campaign kept a service from answering. */
export interface Stop {
  readonly service: string;
  readonly how: RecordOf<'stopped'>['how'];
  readonly from: number;
  /** When it was ready again. */
  readonly to: number;
}

/** Puts records together, in whatever order they are. */
export function historyOf(unordered: readonly CampaignRecord[]): History {
  const records = [...unordered].sort((one, other) => one.at - other.at);
  const only = <Type extends CampaignRecord['type']>(type: Type) =>
    records.filter((record): record is RecordOf<Type> => record.type === type);
  const overAt = only('over')[0]?.at ?? Number.POSITIVE_INFINITY;
  return {
    streams: streamsIn(records, overAt),
    attempts: attemptsIn(records),
    faults: only('fault'),
    settled: only('settled'),
    unsettled: only('unsettled'),
    health: only('health'),
    stopped: stopsIn(records, overAt),
    exits: only('exited'),
    gaps: only('gap'),
    catchUps: only('caught-up'),
    closes: only('closed'),
    overAt,
  };
}

/** Whether the filter asks for changes of this key. */
export function wants(honored: Filter, key: ChangeKey): boolean {
  if (key === 'tools') return honored.toolsListChanged === true;
  if (key === 'prompts') return honored.promptsListChanged === true;
  if (key === 'resources') return honored.resourcesListChanged === true;
  if (key.startsWith('uri:')) return honored.resourceSubscriptions?.includes(key.slice('uri:'.length)) ?? false;
  return honored.taskIds?.includes(key.slice('task:'.length)) ?? false;
}

function attemptsIn(records: readonly CampaignRecord[]): Attempt[] {
  const attempts = new Map<number, Attempt>();
  for (const record of records) {
    if (record.type === 'published') {
      const { at: askedAt, type: _, ...asked } = record;
      const unanswered = { answeredAt: Number.POSITIVE_INFINITY, status: 0, replayed: false, retryAfterS: undefined };
      attempts.set(record.attempt, { ...asked, askedAt, ...unanswered });
    } else if (record.type === 'answered') {
      const { at: answeredAt, type: _, ...answer } = record;
      Object.assign(attempts.get(record.attempt)!, { answeredAt, ...answer });
    } else if (record.type === 'unanswered') {
      attempts.get(record.attempt)!.answeredAt = record.at;
    }
  }
  return [...attempts.values()];
}

function stopsIn(records: readonly CampaignRecord[], overAt: number): Stop[] {
  const stops: Stop[] = [];
  const open = new Map<string, RecordOf<'stopped'>>();
  for (const record of records) {
    if (record.type === 'stopped') open.set(record.service, record);
    if (record.type !== 'running') continue;
    const stop = open.get(record.service);
    open.delete(record.service);
    if (stop) stops.push({ service: stop.service, how: stop.how, from: stop.at, to: record.at });
  }
  for (const { service, how, at } of open.values()) stops.push({ service, how, from: at, to: overAt });
  return stops;
}
