-- Applies a change of a key; returns the number of replicas after a revocation.
-- ARGV: shift, revoked, version, a minute, a month (-1).
-- A key whose counters are unknown stays unknown, but the change is kept for an hour: a hydration that
-- was read before the change and arrives after it doesn't undo it.
local version = redis.call('HGET', KEY, 'v')
if not version or newer(ARGV[3], version) then
  redis.call('HSET', KEY, 'v', ARGV[3], 'l', ARGV[4], 'q', ARGV[5])
end
if ARGV[2] == '1' then redis.call('HSET', KEY, 'r', 1) end
if redis.call('HEXISTS', KEY, 'h') + redis.call('HEXISTS', KEY, 'p') == 0 then
  redis.call('PEXPIRE', KEY, UNKNOWN_TTL)
end
if ARGV[2] ~= '1' then return {} end
local replicas = string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)')
return { tonumber(replicas) or 0 }
