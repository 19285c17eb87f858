-- A waiter polls once an interval. The intervals of those behind the first places grow with their place, up to a factor, so
-- that thousands of them cost little; those in front find a lock whose owner has died.
local FIRST_PLACES, LONGEST_INTERVAL, WATCHING_PLACES = 8, 32, 32

-- Returns the entry of a waiter in that place with so many entries ahead, its deadline, and the milliseconds after which it is
-- to poll. `waiting` is the end of the entry, see acquire.lua, and begins with the time in which the waiter must claim a grant,
-- twice the shortest interval; `before` is its present deadline, 0 for a new entry; before `due`, the deadline of no entry ends. All but
-- `waiting` are numbers: Lua 5.4 compares no text with a number, in math.min neither.
--
-- No poll in the first 32 places is later than a shortest interval after `due`, so that the entry is removed then; if all in
-- these places are gone, it is removed within the longest interval. If all entries polled then, most polls were for this
-- purpose. The deadline is three of its own intervals away, so that an entry is removed only if its instance is gone.
-- Polling.tla specifies it.
local function entryAt(place, ahead, waiting, before, millis, due)
  local shortest = string.match(waiting, '^%d+') / 2
  local interval = shortest * math.min(math.max(ahead / FIRST_PLACES, 1), LONGEST_INTERVAL)
  if ahead < WATCHING_PLACES then
    interval = math.min(interval, shortest + math.max(0, due - millis))
  end
  interval = math.ceil(interval)
  local deadline = math.max(before, millis + 3 * interval)
  -- Numbers of up to 14 digits are joined exactly.
  return table.concat({place, deadline, waiting}, ':'), deadline, interval
end
