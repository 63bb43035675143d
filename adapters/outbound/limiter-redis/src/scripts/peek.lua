-- Returns what is left of the limits of each key in KEYS. Stores no new month: only an
-- admission does.
local raw = clock()

local function peek()
  local key = read()
  if not key or key.revoked then return { UNKNOWN } end
  local now = math.max(raw, key.time)
  roll(key, month_of(now))
  if trim(key, now) then keep(key) end
  return standing(PEEKED, key, now)
end

return for_each(peek)
