/**
 * Lua: `tip(journal, last)`, the id of the latest change. Both keys are asked, because either may be gone: the journal
 * expires and is trimmed, and `last` may be evicted.
 */
export const TIP_LUA = `local function parse(id)
  local ms, seq = string.match(id, '^(%d+)%-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
local function tip(journal, last)
  local id = redis.call('GET', last)
  if not (id and parse(id)) then id = '0-0' end
  local newest = redis.call('XREVRANGE', journal, '+', '-', 'COUNT', 1)[1]
  if not newest then return id end
  local ms, seq = parse(id)
  local newest_ms, newest_seq = parse(newest[1])
  if newest_ms > ms or (newest_ms == ms and newest_seq > seq) then return newest[1] end
  return id
end`;

/**
 * How long the latest id is kept. An instance that has listened for longer to a server without changes hears of a gap
 * that is none: safe, and rare enough.
 */
export const LAST_TTL_MS = 30 * 24 * 60 * 60_000;
