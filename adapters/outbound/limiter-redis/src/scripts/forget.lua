-- Makes counters unknown, and with them their keys, whose states are kept. Window and refunds are keys of
-- their own. The hash is rewritten, because that needs no right that the other scripts don't.
STATE = KEYS[1]
local time = redis.call('HGET', STATE, 't')
redis.call('DEL', STATE)
if time then
  redis.call('HSET', STATE, 't', time)
  redis.call('PEXPIRE', STATE, UNKNOWN_TTL)
end
return {}
