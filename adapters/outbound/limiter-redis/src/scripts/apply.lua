-- Applies a change of a key; returns the number of replicas after a revocation.
-- ARGV: shift, revoked, version, a minute, a month (-1).
-- An unknown key stays unknown (it has no month), but the change is kept for an hour: a hydration
-- that was read before the change and arrives after it doesn't undo it.
local version = redis.call('HGET', STATE, 'v')
if not version or newer(ARGV[3], version) then
  redis.call('HSET', STATE, 'v', ARGV[3], 'l', ARGV[4], 'q', ARGV[5])
end
if ARGV[2] == '1' then redis.call('HSET', STATE, 'r', 1) end
if redis.call('HEXISTS', STATE, 'p') == 0 then redis.call('PEXPIRE', STATE, UNKNOWN_TTL) end
if ARGV[2] ~= '1' then return {} end
local replicas = string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)')
return { tonumber(replicas) or 0 }
