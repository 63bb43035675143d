-- Refunds one request of its month, once. KEYS[1] are the counters; KEYS[2], a sorted set, holds the
-- refunded requests. ARGV: shift, month, request.
STATE = KEYS[1]
local REFUNDS = KEYS[2]
local counters = read_counters()
if not counters or counters.month ~= tonumber(ARGV[2]) then return {} end
if redis.call('ZADD', REFUNDS, 'NX', clock(), ARGV[3]) == 0 then return {} end
-- The last 256, for an hour: duplicates arrive within seconds.
redis.call('ZREMRANGEBYRANK', REFUNDS, 0, -257)
redis.call('PEXPIRE', REFUNDS, 3600000)
redis.call('HINCRBY', STATE, 'f', 1)
return {}
