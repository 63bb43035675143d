-- The bank answered a cycle whose turn came ARGV[5] ago.
if strikes > 0 and (not began or now - tonumber(ARGV[5]) > began) then save('k', 0) end
return { DONE }
