-- Forgets a key.
redis.call('DEL', unpack(KEYS))
return {}
