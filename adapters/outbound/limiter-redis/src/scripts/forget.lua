-- Makes counters unknown, and with them their keys, whose states are kept. Window and refunds are keys of
-- their own. The hash is rewritten, because that needs no right that the other scripts don't.
STATE = KEYS[1]
local fields = { 't', 'h', 'r', 'v', 'l', 'q' }
local values = redis.call('HMGET', STATE, unpack(fields))
redis.call('DEL', STATE)
for place, field in ipairs(fields) do
  if values[place] then redis.call('HSET', STATE, field, values[place]) end
end
redis.call('PEXPIRE', STATE, values[2] and STATE_TTL or UNKNOWN_TTL)
return {}
