-- Prelude of the pacer's scripts: the clock and the state. The rules are those of domain::pacing, call
-- by call. All times are microseconds.
--
-- KEYS[1], a hash, is the state:
--   t  the newest time of a turn or a back-off; the clock never goes back behind it
--   e  the even schedule's next turn                 n  turns granted, for their names
--   k  back-offs in a row     b, u  beginning and end of the newest one
-- KEYS[2], a sorted set, are the turns of the last window by their time.
-- KEYS[3], a hash, is the queue: its field v is a table in MessagePack, see queue.lua.
-- ARGV[1] is the time of a test's clock, '' for the server's.
-- ARGV[2..5] are turns a minute, their spacing, the tolerance of a burst, and the quick window.
local STATE, TURNS, QUEUE = KEYS[1], KEYS[2], KEYS[3]
local PER_MINUTE, SPACING, TOLERANCE = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local QUICK_WINDOW = tonumber(ARGV[5])

-- The numbers of domain::pacing.
local WINDOW, QUICK_CYCLES = 61000000, 4
local FIRST_BACK_OFF, DOUBLINGS, SAME_BACK_OFF = 120000000, 4, 2000000
-- Replicas with waiting callers poll twice a second; one that ended delays others for this long.
local LEASE = 5000000
-- A day: strikes are kept for so long after the last turn.
local STATE_TTL = 86400000

local TURN, BACKING_OFF, BEGAN, JOINED, DONE = 1, 2, 3, 4, 5

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
  redis.call('ZREMRANGEBYSCORE', TURNS, '-inf', now - WINDOW)
end

-- Counts a turn that began at `at`, whether there is room or not.
local function count(at)
  even = math.max(even, at) + SPACING
  redis.call('ZADD', TURNS, at, redis.call('HINCRBY', STATE, 'n', 1))
  redis.call('PEXPIRE', TURNS, WINDOW / 1000 + 1)
  save('e', even)
end

-- Returns the times of the turns of the next callers, which take theirs as early as possible: that of
-- the first one, and of so many others. The first has the index 0.
local function next_turns(others)
  local begun = redis.call('ZCARD', TURNS)
  local theirs = {}
  -- Returns a function of a place: the end of the window that began so many turns before.
  local function ends_of(turns, window)
    local first = math.max(begun - turns, 0)
    local scores = redis.call('ZRANGE', TURNS, first, first + others, 'WITHSCORES')
    return function(place)
      local oldest = begun + place - turns
      if oldest < 0 then return 0 end
      return window + (theirs[oldest - begun] or tonumber(scores[2 * (oldest - first) + 2]))
    end
  end
  local ends, quick_ends = ends_of(PER_MINUTE, WINDOW), ends_of(QUICK_CYCLES, QUICK_WINDOW)
  local after = even
  for place = 0, others do
    theirs[place] = math.max(now, after - TOLERANCE, ends(place), quick_ends(place))
    after = math.max(after, theirs[place]) + SPACING
  end
  return theirs
end
