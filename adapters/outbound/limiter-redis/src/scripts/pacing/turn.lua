-- Takes a turn, or returns when to poll again.
-- ARGV[5] is the ticket of a waiting caller or '', ARGV[6] the time for which it can wait.
local ticket, waitable = tonumber(ARGV[5]), tonumber(ARGV[6])
local left = paused()
if left then return { BACKING_OFF, left } end

forget_old()
local ahead, is_waiting = 0, false
for _, other in ipairs(redis.call('ZRANGE', WAITING, 0, -1)) do
  other = tonumber(other)
  if other == ticket then is_waiting = true end
  if not ticket or other < ticket then ahead = ahead + 1 end
end
-- The ticket has expired: the caller queues anew, behind all others.
if ticket and not is_waiting then
  ticket, ahead = nil, redis.call('ZCARD', WAITING)
end

local turn = turn_behind(ahead)
local goes = ahead == 0 and turn <= now
if goes or turn > now + waitable then
  if is_waiting then redis.call('ZREM', WAITING, ticket) end
  if not goes then return { USED_UP, turn - now } end
  count(now)
  return { GO }
end
ticket = ticket or number()
redis.call('ZADD', WAITING, now + LEASE, ticket)
redis.call('PEXPIRE', WAITING, LEASE / 1000)
return { WAIT, ticket, turn - now }
