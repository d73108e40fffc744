import type { Page } from './continuity.ts';
import { type JournalId, type RawEntry, readJournalEntry } from './journal-entry.ts';
import type { RedisKeys } from './redis-keys.ts';
import { LAST_TTL_MS, TIP_LUA } from './tip-lua.ts';

/**
 * Reads the latest id and the entries from a given one on, itself included, in one step: read apart, a change between
 * the two would look like a gap.
 *
 * A journal without any change is given a latest id too. Were it 0-0, then a Redis that took a first change and lost
 * all its data would look to an instance that was away as if nothing had happened.
 */
export const READ_LUA = `${TIP_LUA}
local at = tip(KEYS[1], KEYS[2])
if at == '0-0' then
  local time = redis.call('TIME')
  at = string.format('%s%03d-0', time[1], math.floor(tonumber(time[2]) / 1000))
  redis.call('SET', KEYS[2], at, 'PX', ARGV[3])
end
if ARGV[1] == '' or ARGV[1] == at then return {at, {}} end
return {at, redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])}
`;

/** Does all that a read does, but leaves nothing: it is refused where a read would be. */
export const TRY_READ_LUA = `${TIP_LUA}
redis.call('TIME')
redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
return tip(KEYS[1], KEYS[2])
`;

export type ReadReply = readonly [tip: JournalId, entries: readonly RawEntry[]];

/** The keys and arguments for one page; without `from`, the latest id alone is read. */
export function readArguments(keys: RedisKeys, from: JournalId | undefined, length: number): ReadArguments {
  return [keys.journal, keys.last, from ?? '', length, LAST_TTL_MS];
}

export type ReadArguments = [journal: string, last: string, from: string, length: number, lastTtlMs: number];

/** Reads what the script returned. */
export function pageOf([tip, entries]: ReadReply): Page {
  return { tip, entries: entries.map(readJournalEntry) };
}
