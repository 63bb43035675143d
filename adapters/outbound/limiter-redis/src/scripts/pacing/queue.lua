-- Prelude of the scripts that read the queue: the lanes of all replicas, by the rules of
-- domain::pacing. It is kept as a table:
--   replicas  by id: { expires, lanes = { { class, customer, key, callers, first }, … } }, where first
--             is the number of the lane's first caller
--   ranks     of customers and of their keys, by name: smaller ones are next
--   newest    the newest rank, and the newest number of a caller
--   row       interactive turns since the newest one of the background, while one of these waits
local INTERACTIVE, BACKGROUND, MAX_WAITING_PER_KEY, IN_A_ROW = 'i', 'b', 16, 4

local packed = redis.call('HGET', QUEUE, 'v')
local queue = packed and cmsgpack.unpack(packed) or { replicas = {}, ranks = {}, newest = 0, row = 0 }
-- The lanes, and the callers that wait by class and by name. A lane has two names: of its customer, and
-- of the customer's key.
local lanes, callers = {}, { [INTERACTIVE] = 0, [BACKGROUND] = 0 }

-- Returns a number greater than all before.
local function newest()
  queue.newest = queue.newest + 1
  return queue.newest
end

-- Adds callers to a lane, and removes them. Names that are new stand behind all others.
local function add(lane, number)
  lane.kept[4] = lane.kept[4] + number
  callers[lane.class] = callers[lane.class] + number
  for _, name in ipairs(lane.names) do
    callers[name] = (callers[name] or 0) + number
    if callers[name] == 0 then
      queue.ranks[name] = nil
    elseif not queue.ranks[name] then
      queue.ranks[name] = newest()
    end
  end
  if number < 0 and callers[BACKGROUND] == 0 then queue.row = 0 end
end

-- Lists the lanes of the replicas that still poll.
local function list_lanes()
  for id, replica in pairs(queue.replicas) do
    if replica.expires <= now then
      queue.replicas[id] = nil
    else
      for place, kept in ipairs(replica.lanes) do
        local customer = kept[1] .. kept[2]
        local lane = { class = kept[1], place = place, id = id, kept = kept, names = { customer, customer .. kept[3] } }
        local number = kept[4]
        queue.newest = math.max(queue.newest, kept[5])
        lanes[#lanes + 1], kept[4] = lane, 0
        if number > 0 then add(lane, number) end
      end
    end
  end
  for name in pairs(queue.ranks) do
    if not callers[name] then queue.ranks[name] = nil end
  end
  if callers[BACKGROUND] == 0 then queue.row = 0 end
end
