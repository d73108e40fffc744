import type { JournalId } from './journal-entry.ts';
import type { PublishVerb } from './publish-script.ts';
import type { RedisKeys } from './redis-keys.ts';
import { LAST_TTL_MS, TIP_LUA } from './tip-lua.ts';

/**
 * Looks for a change that was accepted; if the journal has lost it, gives the journal a latest id that follows from
 * nothing in it, and says so on the channel. Whoever has not seen the lost change finds a gap, now or when it returns;
 * whoever has seen it takes the id for the next one.
 */
export const BREAK_LUA = `-- KEYS: journal, last, channel. ARGV: PUBLISH or SPUBLISH, id of the change, last ttl ms
${TIP_LUA}
local journal, last, channel = KEYS[1], KEYS[2], KEYS[3]
local verb, accepted, last_ttl = ARGV[1], ARGV[2], ARGV[3]
if redis.call('GET', last) == accepted or redis.call('XRANGE', journal, accepted, accepted)[1] then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ms, seq = parse(tip(journal, last))
if now > ms then ms, seq = now, 0 else seq = seq + 1 end
local id = string.format('%.0f-%.0f', ms, seq)
redis.call('SET', last, id, 'PX', last_ttl)
redis.call(verb, channel, '{"v":1,"id":"' .. id .. '","prev":"' .. accepted .. '","change":null}')
return 1
`;

/** 1 if the change was lost. */
export type BreakReply = 0 | 1;

export function breakArguments(keys: RedisKeys, verb: PublishVerb, accepted: JournalId): BreakArguments {
  return [keys.journal, keys.last, keys.channel, verb, accepted, LAST_TTL_MS];
}

export type BreakArguments = [
  journal: string,
  last: string,
  channel: string,
  verb: PublishVerb,
  accepted: JournalId,
  lastTtlMs: number,
];
