-- Merges a snapshot of the store.
-- ARGV: shift, revoked, version, a minute, a month (-1), month, charged, refunded.
-- The snapshot's month may not have begun yet, by a clock that is ahead: then only the state is
-- merged.
local month, charged, refunded = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local version = redis.call('HGET', STATE, 'v')
local key = read()
local now = math.max(clock(), key and key.time or 0)
local begun = month <= month_of(now)
if key and begun then
  roll(key, month)
  if key.month == month then
    key.charged, key.refunded = math.max(key.charged, charged), math.max(key.refunded, refunded)
  end
  redis.call('HSET', STATE, 'p', key.month, 'c', key.charged, 'f', key.refunded)
elseif begun then
  -- The log may have outlived the state: its count stays valid.
  local logged = 0
  for _, entry in ipairs(redis.call('LRANGE', LOG, 0, -1)) do
    local _, count = parse(entry)
    logged = logged + count
  end
  redis.call('HSET', STATE, 'p', month, 'c', charged, 'f', refunded, 'n', logged)
end
if not version or newer(ARGV[3], version) then
  redis.call('HSET', STATE, 'v', ARGV[3], 'l', ARGV[4], 'q', ARGV[5])
end
if ARGV[2] == '1' then redis.call('HSET', STATE, 'r', 1) end
redis.call('PEXPIRE', STATE, (key or begun) and STATE_TTL or UNKNOWN_TTL)
return {}
