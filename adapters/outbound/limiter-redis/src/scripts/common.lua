-- Prelude of all scripts: the clock, a key's state, its counters, and the window. KEYS are those of one
-- API key, for admissions and readings those of many.
--
-- KEYS[1], a hash, is the key's state:
--   r  '1' once the key is revoked        v  version of the state
--   l  requests a minute                  q  requests a month, -1 without a cap
--   h  '1' once it was hydrated
-- KEYS[2], a hash, are the counters, which the keys of a rotation share; the first key's state is in it, too:
--   p  the month, YYYYMM; without it they and their keys are unknown
--   c  charged in the month               f  refunded in the month
--   t  time of the last admission, ms     n  admissions in the log
--   x  expiry of the log's first entry    e  expiry of its last one
-- KEYS[3], a list, is the log: '<expiry in ms>' for one admission, '<expiry>:<count>' for several
-- that leave the window together; ordered by expiry. A script gets no key that it doesn't need:
-- while a cluster moves a slot, it refuses scripts of which one key isn't there.
-- ARGV[1], ms, is added to the server's time: '0' except in tests.
local KEY, STATE, LOG = KEYS[1], KEYS[2], KEYS[3]

-- The numbers of domain::window.
local SPAN, EXACT_UP_TO, COARSE = 60000, 6000, 1000
-- A month and more: an idle key's state outlives the counts that matter.
local STATE_TTL = 40 * 86400000
-- Changes of an unknown key are kept for longer than a hydration that was read before them takes.
local UNKNOWN_TTL = 3600000

local UNKNOWN, ADMITTED, RATE_LIMITED, QUOTA_EXCEEDED, REVOKED, PEEKED = 0, 1, 2, 3, 4, 5

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
end

-- The UTC month of an instant, YYYYMM: "civil_from_days", Howard Hinnant, chrono-compatible
-- low-level date algorithms.
local function month_of(ms)
  local days = math.floor(ms / 86400000) + 719468
  local era = math.floor(days / 146097)
  local doe = days - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local from_march = math.floor((5 * doy + 2) / 153)
  local year = yoe + era * 400
  if from_march < 10 then return year * 100 + from_march + 3 end
  return (year + 1) * 100 + from_march - 9
end

-- Compares versions as texts: a number of Lua's is exact up to 2^53 only.
local function newer(version, than)
  return #version > #than or (#version == #than and version > than)
end

-- Returns known counters, or nil. Without a month they are unknown: only a hydration sets it.
local function read_counters()
  local h = redis.call('HMGET', STATE, 'p', 'c', 'f', 't', 'n', 'x', 'e')
  if not h[1] then return nil end
  return {
    month = tonumber(h[1]),
    charged = tonumber(h[2]) or 0,
    refunded = tonumber(h[3]) or 0,
    time = tonumber(h[4]) or 0,
    logged = tonumber(h[5]) or 0,
    leaves = tonumber(h[6]),
    last = tonumber(h[7]),
  }
end

-- Returns a known key with its counters, or nil.
local function read()
  local h = redis.call('HMGET', KEY, 'r', 'v', 'l', 'q')
  if not (h[2] and h[3] and h[4]) then return nil end
  local key = read_counters()
  if not key then return nil end
  key.revoked, key.limit, key.quota = h[1] == '1', tonumber(h[3]), tonumber(h[4])
  return key
end

-- Rolls over to a later month; never back to an earlier one.
local function roll(key, month)
  if month <= key.month then return false end
  key.month, key.charged, key.refunded = month, 0, 0
  return true
end

-- Returns expiry and count of a log entry.
local function parse(entry)
  local colon = string.find(entry, ':', 1, true)
  if not colon then return tonumber(entry), 1 end
  return tonumber(string.sub(entry, 1, colon - 1)), tonumber(string.sub(entry, colon + 1))
end

-- Drops entries that left the window, in growing steps; returns whether anything changed.
local function trim(key, now)
  local logged, leaves, step = key.logged, key.leaves, 4
  repeat
    local entries, gone = redis.call('LRANGE', LOG, 0, step - 1), 0
    key.leaves = nil
    for _, entry in ipairs(entries) do
      local expiry, count = parse(entry)
      if expiry > now then
        key.leaves = expiry
        break
      end
      gone, key.logged = gone + 1, key.logged - count
    end
    if gone > 0 then redis.call('LPOP', LOG, gone) end
    local is_done = gone < step
    step = math.min(step * 4, 512)
  until is_done
  -- The log is gone, by its time to live or otherwise, and its count with it.
  if not key.leaves then key.logged = 0 end
  return key.logged ~= logged or key.leaves ~= leaves
end

-- Stores the log's count and first expiry.
local function keep(key)
  redis.call('HSET', STATE, 'n', key.logged, 'x', key.leaves or 0)
end

-- Returns the time until a full window admits a request.
local function wait(key, now)
  local left, from = key.logged, 0
  while true do
    local entries = redis.call('LRANGE', LOG, from, from + 63)
    if #entries == 0 then return SPAN end
    for _, entry in ipairs(entries) do
      local expiry, count = parse(entry)
      left = left - count
      if left < key.limit then return expiry - now end
    end
    from = from + 64
  end
end

-- Builds the reply: outcome, time, month, limit, remaining, ms to the next unit, quota, used, wait.
local function standing(outcome, key, now, retry_after)
  return {
    outcome, now, key.month,
    key.limit, math.max(key.limit - key.logged, 0), key.leaves and key.leaves - now or SPAN,
    key.quota, math.max(key.charged - key.refunded, 0), retry_after or 0,
  }
end

-- Builds an error reply. Redis's own errors begin with a code, by which they are recognised.
local function failure(cause)
  local text = type(cause) == 'table' and cause.err or tostring(cause)
  if not string.find(text, '^%u+ ') then text = 'ERR ' .. text end
  return { err = text }
end

-- Returns a reply for each key's three in KEYS, in their order.
local function for_each(reply)
  local replies = {}
  for place = 1, #KEYS, 3 do
    KEY, STATE, LOG = KEYS[place], KEYS[place + 1], KEYS[place + 2]
    local worked, answer = pcall(reply)
    -- An error of one key is its own reply: the others are worked on.
    if not worked then answer = failure(answer) end
    replies[#replies + 1] = answer
  end
  return replies
end
