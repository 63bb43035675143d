-- Records a success of a lookup whose turn began ARGV[6] ago.
if strikes > 0 and (not began or now - tonumber(ARGV[6]) > began) then save('k', 0) end
return { DONE }
