import type { Idempotency, JournalBounds, PublishOutcome, Receipt } from '@listen-gateway/core';
import type { Published } from '@listen-gateway/protocol';
import { publishedJson } from '@listen-gateway/protocol';
import type { RedisKeys } from './redis-keys.ts';
import { LAST_TTL_MS, TIP_LUA } from './tip-lua.ts';

/** PUBLISH, or SPUBLISH where channels are sharded over a cluster. */
export type PublishVerb = 'PUBLISH' | 'SPUBLISH';

export interface PublishSettings {
  readonly verb: PublishVerb;
  readonly journal: JournalBounds;
  readonly idempotencyTtlMs: number;
}

/**
 * Journals and publishes a batch in one step. Part of the public format (docs/redis-format.md): publishers in other
 * languages run the same text from docs/redis-publish.lua.
 *
 * The id is taken from Redis' clock but never at or below the latest one, so that it grows when the clock goes back.
 */
export const PUBLISH_LUA = `-- KEYS: journal, last, channel [, idempotency]
-- ARGV: PUBLISH or SPUBLISH, journal length, journal age ms, last ttl ms, idempotency ttl ms, fingerprint, change...
-- Returns {'published' or 'replayed', 'id instances id instances ...'} or {'key-reused', ''}.
${TIP_LUA}
local journal, last, channel, idempotency = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local verb, length, age, last_ttl, idempotency_ttl, fingerprint = unpack(ARGV, 1, 6)
if idempotency then
  local kept = redis.call('HMGET', idempotency, 'fingerprint', 'receipts')
  if kept[1] then
    if kept[1] ~= fingerprint then return {'key-reused', ''} end
    -- A write, so that a WAIT after it covers the writes of the first time.
    redis.call('HSET', idempotency, 'fingerprint', fingerprint)
    return {'replayed', kept[2]}
  end
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local prev = tip(journal, last)
local ms, seq = parse(prev)
local receipts = {}
for i = 7, #ARGV do
  if now > ms then ms, seq = now, 0 else seq = seq + 1 end
  local id = string.format('%.0f-%.0f', ms, seq)
  redis.call('XADD', journal, id, 'prev', prev, 'change', ARGV[i])
  local message = '{"v":1,"id":"' .. id .. '","prev":"' .. prev .. '","change":' .. ARGV[i] .. '}'
  table.insert(receipts, id .. ' ' .. redis.call(verb, channel, message))
  prev = id
end
if #receipts > 0 then
  redis.call('SET', last, prev, 'PX', last_ttl)
  redis.call('XTRIM', journal, 'MAXLEN', '~', length)
  redis.call('XTRIM', journal, 'MINID', '~', string.format('%.0f', math.max(0, now - tonumber(age))))
  redis.call('PEXPIRE', journal, age)
end
local text = table.concat(receipts, ' ')
if idempotency then
  redis.call('HSET', idempotency, 'fingerprint', fingerprint, 'receipts', text)
  redis.call('PEXPIRE', idempotency, idempotency_ttl)
end
return {'published', text}
`;

/** The number of keys, the keys and the arguments for one batch. */
export function publishArguments(
  keys: RedisKeys,
  changes: readonly Published[],
  idempotency: Idempotency | undefined,
  { verb, journal, idempotencyTtlMs }: PublishSettings,
): (string | number)[] {
  const names = [keys.journal, keys.last, keys.channel];
  if (idempotency) names.push(keys.idempotency(idempotency.key));
  const fingerprint = idempotency?.fingerprint ?? '';
  const settings = [verb, journal.length, journal.ageMs, LAST_TTL_MS, idempotencyTtlMs, fingerprint];
  return [names.length, ...names, ...settings, ...changes.map(publishedJson)];
}

/** Reads what the script returned. */
export function publishOutcome([kind, receipts]: PublishReply): PublishOutcome {
  return kind === 'key-reused' ? { kind } : { kind, receipts: readReceipts(receipts) };
}

export type PublishReply = readonly [kind: PublishOutcome['kind'], receipts: string];

/** Ids and numbers of instances in turn. */
function readReceipts(text: string): Receipt[] {
  const words = text === '' ? [] : text.split(' ');
  const receipts: Receipt[] = [];
  for (let at = 0; at < words.length; at += 2) {
    receipts.push({ journalId: words[at] ?? '', instances: Number(words[at + 1]) });
  }
  return receipts;
}
