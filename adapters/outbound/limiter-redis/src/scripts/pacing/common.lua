-- Prelude of the pacer's scripts: the clock and the state. The rules are those of domain::pacing, call
-- by call. All times are microseconds.
--
-- KEYS[1], a hash, is the state:
--   t  the newest time of a turn or a back-off; the clock never goes back behind it
--   e  the even schedule's next turn                 n  tickets and turns granted, for their names
--   k  back-offs in a row     b, u  beginning and end of the newest one
-- KEYS[2], a sorted set, are the turns of the last minute by their time.
-- KEYS[3], a sorted set, are the tickets of waiting callers, by the time at which they expire unless
-- polled. The queue is in the order of their numbers.
-- ARGV[1] is the time of a test's clock, '' for the server's.
-- ARGV[2..4] are turns a minute, their spacing, and the tolerance of a burst.
local STATE, TURNS, WAITING = KEYS[1], KEYS[2], KEYS[3]
local PER_MINUTE, SPACING, TOLERANCE = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

-- The numbers of domain::pacing.
local MINUTE = 60000000
local FIRST_BACK_OFF, DOUBLINGS, SAME_BACK_OFF = 2 * MINUTE, 4, 2000000
-- Waiting callers poll twice a second; a process that ended delays others for this long.
local LEASE = 5000000
-- A day: strikes are kept for so long after the last turn.
local STATE_TTL = 86400000

local GO, WAIT, USED_UP, BACKING_OFF, BEGAN, JOINED, DONE = 1, 2, 3, 4, 5, 6, 7

local saved = redis.call('HMGET', STATE, 't', 'e', 'k', 'b', 'u')
local even, strikes = tonumber(saved[2]), tonumber(saved[3]) or 0
local began, ends = tonumber(saved[4]), tonumber(saved[5])

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
now = math.max(now, tonumber(saved[1]) or 0)

-- No turn is recorded, maybe because the data was lost. The burst counts as used: it can't be known,
-- and the portal demands a captcha after two bursts.
local blank = not even
even = even or now + TOLERANCE

local function save(...)
  redis.call('HSET', STATE, 't', now, ...)
  redis.call('PEXPIRE', STATE, STATE_TTL)
end

-- Returns the rest of a back-off, or nil.
local function paused()
  if ends and ends > now then return ends - now end
end

local function forget_old()
  redis.call('ZREMRANGEBYSCORE', TURNS, '-inf', now - MINUTE)
  redis.call('ZREMRANGEBYSCORE', WAITING, '-inf', now)
end

-- Returns a new name for a ticket or a turn; later ones are larger.
local function number()
  return redis.call('HINCRBY', STATE, 'n', 1)
end

-- Counts a turn that began at `at`, whether there is room or not.
local function count(at)
  even = math.max(even, at) + SPACING
  redis.call('ZADD', TURNS, at, number())
  redis.call('PEXPIRE', TURNS, MINUTE / 1000 + 1)
  save('e', even)
end

-- Returns the earliest time of a turn behind so many others, which take theirs as early as possible.
local function turn_behind(others)
  local begun = redis.call('ZCARD', TURNS)
  -- A turn waits for the end of the minute that began PER_MINUTE turns before it.
  local first = math.max(begun - PER_MINUTE, 0)
  local scores = redis.call('ZRANGE', TURNS, first, first + others, 'WITHSCORES')
  local after, theirs = even, {}
  for place = 0, others do
    local turn = math.max(now, after - TOLERANCE)
    local oldest = begun + place - PER_MINUTE
    if oldest >= begun then
      turn = math.max(turn, theirs[oldest - begun] + MINUTE)
    elseif oldest >= 0 then
      turn = math.max(turn, tonumber(scores[2 * (oldest - first) + 2]) + MINUTE)
    end
    if place == others then return turn end
    theirs[place] = turn
    after = math.max(after, turn) + SPACING
  end
end
