-- Merges a snapshot of the store.
-- ARGV: shift, revoked, version, a minute, a month (-1), month, charged, refunded.
-- The snapshot's month may not have begun yet, by a clock that is ahead: then only the state is
-- merged.
local month, charged, refunded = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local version = redis.call('HGET', KEY, 'v')
local counters = read_counters()
local now = math.max(clock(), counters and counters.time or 0)
local begun = month <= month_of(now)
if counters and begun then
  roll(counters, month)
  if counters.month == month then
    counters.charged = math.max(counters.charged, charged)
    counters.refunded = math.max(counters.refunded, refunded)
  end
  redis.call('HSET', STATE, 'p', counters.month, 'c', counters.charged, 'f', counters.refunded)
elseif begun then
  -- The log may have outlived the counters: its count stays valid.
  local logged = 0
  for _, entry in ipairs(redis.call('LRANGE', LOG, 0, -1)) do
    local _, count = parse(entry)
    logged = logged + count
  end
  redis.call('HSET', STATE, 'p', month, 'c', charged, 'f', refunded, 'n', logged)
end
if not version or newer(ARGV[3], version) then
  redis.call('HSET', KEY, 'v', ARGV[3], 'l', ARGV[4], 'q', ARGV[5])
end
if ARGV[2] == '1' then redis.call('HSET', KEY, 'r', 1) end
if counters or begun then
  redis.call('HSET', KEY, 'h', 1)
  redis.call('PEXPIRE', KEY, STATE_TTL)
  redis.call('PEXPIRE', STATE, STATE_TTL)
elseif redis.call('HEXISTS', KEY, 'h') == 0 then
  redis.call('PEXPIRE', KEY, UNKNOWN_TTL)
end
return {}
