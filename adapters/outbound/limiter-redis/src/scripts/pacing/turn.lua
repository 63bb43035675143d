-- Tells the callers of a replica that wait, lets others join the queue, and takes a turn for the
-- replica if the next one is its own and has come.
-- ARGV[6] is the replica, ARGV[7] the number of its lanes. Five arguments for each lane follow: class,
-- customer, key, the callers that wait, and the number of the first of them. Then two for each caller
-- that joins: the place of its lane, and the time for which it can wait.
-- Returns the place of the lane that has the turn, or 0; the time to the next turn; and for each
-- caller that joins: that it waits, and its number; or that it is too late, or one too many, and the
-- time to its turn.
local ACCEPTED, TOO_LATE, TOO_MANY = 0, 1, 2
local left = paused()
if left then
  redis.call('DEL', QUEUE)
  return { BACKING_OFF, left }
end
forget_old()

local replica = { expires = now + LEASE, lanes = {} }
for number = 1, tonumber(ARGV[7]) do
  local at = 3 + 5 * number
  replica.lanes[number] =
    { ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]) }
end
queue.replicas[ARGV[6]] = replica
list_lanes()
local own = {}
for _, lane in ipairs(lanes) do
  if lane.id == ARGV[6] then own[lane.place] = lane end
end

-- Returns the number of turns before that of the newest caller of a lane's key.
local function turns_before(lane)
  local nth = callers[lane.names[2]]
  for depth = 2, 1, -1 do
    local name, others, seen = lane.names[depth], 0, {}
    for _, other in ipairs(lanes) do
      local theirs = other.names[depth]
      local is_sibling = other.class == lane.class and (depth == 1 or other.names[depth - 1] == lane.names[depth - 1])
      local number = callers[theirs] or 0
      if is_sibling and theirs ~= name and not seen[theirs] and number > 0 then
        seen[theirs] = true
        local is_behind = queue.ranks[theirs] > queue.ranks[name]
        others = others + math.min(number, is_behind and nth - 1 or nth)
      end
    end
    nth = nth + others
  end
  local before = nth - 1
  if lane.class == INTERACTIVE then
    return before + math.min(math.floor((before + queue.row) / IN_A_ROW), callers[BACKGROUND])
  end
  return before + math.min(math.max(IN_A_ROW * nth - queue.row, 0), callers[INTERACTIVE])
end

local answers, turns = {}, next_turns(0)
for at = 8 + 5 * #own, #ARGV, 2 do
  local lane, waitable, answer = own[tonumber(ARGV[at])], tonumber(ARGV[at + 1]), ACCEPTED
  add(lane, 1)
  local before = turns_before(lane)
  if before > #turns then turns = next_turns(2 * before) end
  local wait = turns[before] - now
  if lane.class == INTERACTIVE and callers[lane.names[2]] > MAX_WAITING_PER_KEY then
    answer = TOO_MANY
  elseif wait > waitable then
    answer = TOO_LATE
  end
  local detail = wait
  if answer == ACCEPTED then
    detail = newest()
    if lane.kept[4] == 1 then lane.kept[5] = detail end
  else
    add(lane, -1)
  end
  answers[#answers + 1], answers[#answers + 2] = answer, detail
end

-- Returns true when the turn of a lane comes before that of another one of its class.
local function is_before(lane, other)
  for depth = 1, 2 do
    local rank, theirs = queue.ranks[lane.names[depth]], queue.ranks[other.names[depth]]
    if rank ~= theirs then return rank < theirs end
  end
  return lane.kept[5] < other.kept[5]
end

local function next_lane()
  local is_backgrounds = callers[INTERACTIVE] == 0 or callers[BACKGROUND] > 0 and queue.row >= IN_A_ROW
  local class, best = is_backgrounds and BACKGROUND or INTERACTIVE, nil
  for _, lane in ipairs(lanes) do
    if lane.class == class and lane.kept[4] > 0 and (not best or is_before(lane, best)) then best = lane end
  end
  return best
end

local granted, next = 0, next_lane()
if next and next.id == ARGV[6] and turns[0] <= now then
  granted = next.place
  queue.row = next.class == INTERACTIVE and queue.row + 1 or 0
  add(next, -1)
  for _, name in ipairs(next.names) do
    if queue.ranks[name] then queue.ranks[name] = newest() end
  end
  count(now)
  turns = next_turns(0)
end
if callers[INTERACTIVE] + callers[BACKGROUND] == 0 then
  redis.call('DEL', QUEUE)
else
  redis.call('HSET', QUEUE, 'v', cmsgpack.pack(queue))
  redis.call('PEXPIRE', QUEUE, WINDOW / 1000)
end
return { TURN, granted, turns[0] - now, unpack(answers) }
