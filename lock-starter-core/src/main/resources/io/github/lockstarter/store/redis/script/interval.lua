-- A waiter polls once an interval. The intervals of those behind the first places grow with their place, up to a factor, so
-- that thousands of them cost little; those in front find a lock whose owner has died.
local FIRST_PLACES, LONGEST_INTERVAL, WATCHING_PLACES = 8, 32, 32

-- Returns the milliseconds after which a waiter with so many entries ahead is to poll. `waiting` begins with the time in which
-- the waiter must claim a grant, twice the shortest interval; `due` is the time until the next deadline of an entry may end. No
-- poll in the first 32 places is later than a shortest interval after it, so that the entry is removed then; if all in these
-- places are gone, it is removed within the longest interval. If all entries polled then, most polls were for this purpose.
-- Polling.tla specifies it.
local function intervalOf(ahead, waiting, due)
  local shortest = string.match(waiting, '^%d+') / 2
  local interval = shortest * math.min(math.max(ahead / FIRST_PLACES, 1), LONGEST_INTERVAL)
  return math.ceil(ahead < WATCHING_PLACES and math.min(interval, math.max(shortest, due + shortest)) or interval)
end
