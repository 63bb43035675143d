-- Returns the turns left in the minute beyond the waiting callers, and the rest of a back-off.
forget_old()
local room = PER_MINUTE - redis.call('ZCARD', TURNS)
return { DONE, math.max(math.max(room, 0) - redis.call('ZCARD', WAITING), 0), paused() or 0 }
