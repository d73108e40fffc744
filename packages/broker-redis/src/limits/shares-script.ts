/**
 * Counts a stream of a holder if all instances together have fewer than the limit. The hashes of the other instances
 * are named by the set of instances; all share its hash tag.
 */
export const CLAIM_LUA = `-- KEYS: instances, own hash. ARGV: own id, lease ms, holder, own count with this stream, limit.
local instances, own = KEYS[1], KEYS[2]
local id, lease, holder, count, limit = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local total = count
for _, other in ipairs(redis.call('ZRANGEBYSCORE', instances, now, '+inf')) do
  if other ~= id then total = total + tonumber(redis.call('HGET', instances .. ':' .. other, holder) or 0) end
end
if total > limit then return 0 end
redis.call('ZADD', instances, now + lease, id)
redis.call('HSET', own, holder, count)
redis.call('PEXPIRE', own, lease)
return 1
`;

/** Keeps an instance among the living, and buries the others; 0 where its counts are not there. */
export const RENEW_LUA = `-- KEYS: instances, own hash. ARGV: own id, lease ms.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. now)
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 2)
return redis.call('PEXPIRE', KEYS[2], ARGV[2])
`;
