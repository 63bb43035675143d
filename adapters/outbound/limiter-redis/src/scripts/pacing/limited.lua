-- The bank wanted fewer questions, in a cycle whose turn came ARGV[5] ago: everybody leaves.
redis.call('DEL', WAITING)
local left = paused()
if left and now - tonumber(ARGV[5]) <= began then return { JOINED, left } end
local length = FIRST_BACK_OFF * 2 ^ math.min(strikes, DOUBLINGS)
save('k', strikes + 1, 'b', now, 'u', now + length)
return { BEGAN, length }
