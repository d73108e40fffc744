-- KEYS: journal, last, channel [, idempotency]
-- ARGV: PUBLISH or SPUBLISH, journal length, journal age ms, last ttl ms, idempotency ttl ms, fingerprint, change...
-- Returns {'published' or 'replayed', 'id instances id instances ...'} or {'key-reused', ''}.
local function parse(id)
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
end
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
