-- Admits requests: one for each state, counters and log in KEYS. A refusal changes no count. Replies are
-- in the order of the keys.
local raw = clock()
local this_month = month_of(raw)

-- Adds an admission to the log; returns the expiry of its entry.
local function log(key, now)
  local expiry = now + SPAN
  if key.limit > EXACT_UP_TO then expiry = math.ceil(expiry / COARSE) * COARSE end
  local last, count = 0, 0
  if not key.last or key.last >= expiry then
    last, count = parse(redis.call('LINDEX', LOG, -1) or '0')
  end
  if last >= expiry then
    expiry = last
    redis.call('LSET', LOG, -1, string.format('%.0f:%d', last, count + 1))
  elseif redis.call('RPUSH', LOG, string.format('%.0f', expiry)) == 1 then
    -- The log is new: an earlier count is gone with the earlier log.
    key.logged, key.leaves = 0, expiry
  end
  -- By the server's own time, which may be behind the key's.
  redis.call('PEXPIRE', LOG, expiry - raw + 1)
  key.logged = key.logged + 1
  return expiry
end

local function admit()
  local key = read()
  if not key then return { UNKNOWN, raw, this_month } end
  if key.revoked then return { REVOKED } end

  local now = math.max(raw, key.time)
  local rolled = roll(key, now == raw and this_month or month_of(now))
  local is_certain = key.leaves and key.leaves > now and key.logged < key.limit
  local trimmed = not is_certain and trim(key, now)
  local is_full = key.logged >= key.limit
  if is_full or (key.quota >= 0 and key.charged - key.refunded >= key.quota) then
    if trimmed then keep(key) end
    if is_full then return standing(RATE_LIMITED, key, now, wait(key, now)) end
    return standing(QUOTA_EXCEEDED, key, now)
  end

  local expiry = log(key, now)
  key.charged = key.charged + 1
  redis.call('HSET', STATE, 't', now, 'n', key.logged, 'c', key.charged, 'x', key.leaves, 'e', expiry)
  if rolled then
    redis.call('HSET', STATE, 'p', key.month, 'f', key.refunded)
    redis.call('PEXPIRE', STATE, STATE_TTL)
    redis.call('PEXPIRE', KEY, STATE_TTL)
  end
  return standing(ADMITTED, key, now)
end

return for_each(admit)
