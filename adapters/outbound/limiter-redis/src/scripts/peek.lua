-- Returns what is left of the limits. Stores no new month: only an admission does.
local key = read()
if not key or key.revoked then return { UNKNOWN } end
local now = math.max(clock(), key.time)
roll(key, month_of(now))
if trim(key, now) then keep(key) end
return standing(PEEKED, key, now)
