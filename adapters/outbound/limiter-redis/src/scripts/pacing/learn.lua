-- Merges another pacer's state: ARGV[6] is the rest of its back-off, 0 without one; ARGV[7..] are the
-- ages of its turns.
local left = tonumber(ARGV[6])
if left > 0 and now + left > (ends and ends + SAME_BACK_OFF or now) then
  local needed = 1
  while needed <= DOUBLINGS and FIRST_BACK_OFF * 2 ^ (needed - 1) < left do needed = needed + 1 end
  redis.call('DEL', QUEUE)
  save('k', math.max(strikes, needed), 'b', now, 'u', now + left)
end
if blank then even = 0 end
for place = 7, #ARGV do count(now - tonumber(ARGV[place])) end
if blank then save('e', math.max(even, now + TOLERANCE)) end
forget_old()
return { DONE }
