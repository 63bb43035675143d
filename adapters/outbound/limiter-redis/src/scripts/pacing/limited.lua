-- Starts a back-off: the bank throttled a lookup whose turn began ARGV[6] ago. The queue is emptied.
redis.call('DEL', QUEUE)
local left = paused()
if left and now - tonumber(ARGV[6]) <= began then return { JOINED, left } end
local length = FIRST_BACK_OFF * 2 ^ math.min(strikes, DOUBLINGS)
save('k', strikes + 1, 'b', now, 'u', now + length)
return { BEGAN, length }
