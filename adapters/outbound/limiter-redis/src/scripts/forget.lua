-- Makes a key unknown. Its state is kept as apply.lua keeps it; window and refunds are keys of their
-- own. The hash is rewritten, because that needs no right that the other scripts don't.
local kept = redis.call('HMGET', STATE, 'v', 'l', 'q', 'r', 't')
redis.call('DEL', STATE)
if kept[1] then
  redis.call('HSET', STATE, 'v', kept[1], 'l', kept[2], 'q', kept[3], 't', kept[5] or 0)
  if kept[4] then redis.call('HSET', STATE, 'r', kept[4]) end
  redis.call('PEXPIRE', STATE, UNKNOWN_TTL)
end
return {}
