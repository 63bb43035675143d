-- Returns the turns left in the window beyond the waiting callers, the rest of a back-off, and the
-- callers that wait, by class.
forget_old()
list_lanes()
local interactive, background = callers[INTERACTIVE], callers[BACKGROUND]
local room = math.max(PER_MINUTE - redis.call('ZCARD', TURNS), 0)
return { DONE, math.max(room - interactive - background, 0), paused() or 0, interactive, background }
