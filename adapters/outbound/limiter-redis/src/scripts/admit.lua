-- Admits one request. A refusal changes no count.
local raw = clock()
local key = read()
if not key then return { UNKNOWN, raw, month_of(raw) } end
if key.revoked then return { REVOKED } end

local now = math.max(raw, key.time)
local rolled = roll(key, month_of(now))
local leaves = trim(key, now)
if key.logged >= key.limit then
  return standing(RATE_LIMITED, key, now, leaves, wait(key, now))
end
if key.quota >= 0 and key.charged - key.refunded >= key.quota then
  return standing(QUOTA_EXCEEDED, key, now, leaves)
end

local expiry = now + SPAN
if key.limit > EXACT_UP_TO then expiry = math.ceil(expiry / COARSE) * COARSE end
local last, count
if leaves then last, count = parse(redis.call('LINDEX', LOG, -1)) end
if last and last >= expiry then
  redis.call('LSET', LOG, -1, string.format('%.0f:%d', last, count + 1))
  expiry = last
else
  redis.call('RPUSH', LOG, string.format('%.0f', expiry))
end
-- By the server's own time, which may be behind the key's.
redis.call('PEXPIRE', LOG, expiry - raw + 1)

key.logged, key.charged = key.logged + 1, key.charged + 1
if rolled then
  redis.call('HSET', STATE, 't', now, 'n', key.logged, 'c', key.charged, 'p', key.month, 'f', key.refunded)
  redis.call('PEXPIRE', STATE, STATE_TTL)
else
  redis.call('HSET', STATE, 't', now, 'n', key.logged, 'c', key.charged)
end
return standing(ADMITTED, key, now, leaves or expiry)
