-- Forgets a key.
redis.call('DEL', STATE, LOG, REFUNDS)
return {}
