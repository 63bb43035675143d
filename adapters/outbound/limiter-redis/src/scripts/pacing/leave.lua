-- Removes a ticket from the queue. ARGV[5] is the ticket.
redis.call('ZREM', WAITING, ARGV[5])
return { DONE }
