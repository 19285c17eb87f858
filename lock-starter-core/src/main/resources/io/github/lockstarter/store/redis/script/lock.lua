-- Functions of the scripts for all that a lock can be: waited for, or in shared use, by readers or by holders of permits. Scripts
-- include this text after the parts that serve the most frequent states, because Redis creates all functions at each call.
-- Before it, a script reads the fields o, f, q and s into `held`, and includes entry.lua and messages.lua.
--
-- A lock is one hash:
--   o        id of the owner; ~r: readers; ~s: holders of permits. The key exists if and only if the lock is owned, but see
--            no_time_free.lua
--   f        the largest fencing token so far
--   q        the waiting line; absent if it is empty: numbers of its first and of its last place, number of its entries, and
--            a time before which the deadline of no entry ends, separated by colons. Places may be empty
--   e:<n>    id of the entry in place n
--   w:<id>   that entry: its place, its deadline, the milliseconds in which it would claim a grant, and the inbox of its
--            instance, separated by colons; the last one is a dot if no server has counted the inbox. It is removed after its
--            deadline unless it polls again
--   s        shared use: the number of holders, the sum of their weights, a time before which no holder's lease ends, and
--            the id of a holder, or nothing, separated by colons
--   h:<id>   a holder: the end of its lease, its fencing token and its weight, separated by colons; h:~k<id> is kept for a
--            minimum hold, see keep.lua
-- Times are milliseconds of the server's clock. The key expires with the lease of the owner, and not before the last holder.
--
-- The end of an id states what it acquires: .r the lock for reading, .s<weight>.<limit> permits; otherwise the lock alone.
--
-- No command reads the whole lock, unless the time in q or s has come: then those whose time is over are removed, and the
-- next such time is set. So a command takes the same time beside one holder or waiter and beside thousands. Deadlines are
-- fields of their own, because one time to live for all would let a crashed holder block others for as long as any holder
-- lives, and a crashed waiter those behind it.

-- Holders of one lock at a time, and places of its line: the time of the few steps that read all of them is limited. A line has at
-- most twice as many places as entries, and SPARE_PLACES, because it is moved together then.
local MOST_HOLDERS, MOST_PLACES, SPARE_PLACES = 10000, 50000, 1000

-- Numbers of more than 14 digits are not joined exactly, and beyond 2^53 a loop over places would not end.
local MOST_PLACE = 1e14

-- One table and not a variable for each value, because a function costs Redis time for each variable that it uses.
local lock = {
  owner = held[1], token = tonumber(held[2]) or 0,
  -- Shared use: the marker or nil, and the parts of s.
  marker = nil, holders = 0, used = 0, soonest = 0, named = '',
  -- The parts of q.
  first = 1, last = 0, count = 0, due = math.huge,
  -- Fields to be written; false: to be removed.
  changes = {},
  -- The time at which the key expires; nil: as before. With `onlyLater`, it is never moved forward.
  ends = nil, onlyLater = false
}

-- include now.lua
if time.err then
  return time
end
-- Microseconds stay below 2^53, so that Lua computes with them exactly.
lock.micros = time[1] * 1000000 + time[2]
lock.millis = time[1] * 1000 + math.floor(time[2] / 1000)

-- tostring() would round a token.
local function text(number)
  return string.format('%.0f', number)
end

local function get(name)
  local value = lock.changes[name]
  if value == nil then
    value = redis.call('HGET', KEYS[1], name)
  end
  return value
end

-- Returns the marker of the shared use, or nil, the weight, and the limit for the sum of weights.
local function kindOf(id)
  local weight, limit = string.match(id, '^[^.]*%.s(%d+)%.(%d+)$')
  if weight then
    return '~s', tonumber(weight), tonumber(limit)
  elseif string.find(id, '^[^.]*%.r$') then
    return '~r', 1, MOST_HOLDERS
  end
  return nil, 0, 0
end

local function toHolder(value)
  local deadline, token, weight = string.match(value or '', '^(%d+):(%d+):(%d+)$')
  return deadline and {deadline = tonumber(deadline), token = tonumber(token), weight = tonumber(weight)}
end

-- Returns the holder with that id, nil if there is none.
local function holderOf(id)
  return lock.marker and toHolder(get('h:' .. id))
end

-- Whether the acquisition has ended in a minimum hold or in a downgrade. Only a writer becomes a reader.
local function hasEnded(id)
  return lock.owner == '~k' .. id or holderOf('~k' .. id)
    or not kindOf(id) and (holderOf(id .. '.r') or holderOf('~k' .. id .. '.r'))
end

local function setHolder(id, holder)
  lock.changes['h:' .. id] = table.concat({text(holder.deadline), text(holder.token), holder.weight}, ':')
  lock.soonest = math.min(lock.soonest, holder.deadline)
  lock.ends = math.max(lock.ends or 0, holder.deadline)
  -- The lease of the only holder is that of the key.
  lock.onlyLater = lock.onlyLater and lock.holders > 1
end

-- Adds up the holders that are alive, and removes the others. Precedes all changes of holders. Uses no table for each holder,
-- which would double its time.
local function countHolders()
  local fields = redis.call('HGETALL', KEYS[1])
  local millis = lock.millis
  local holders, used, soonest, named, ends = 0, 0, math.huge, 'h:', 0
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'h:' then
      local deadline, weight = string.match(fields[i + 1], '^(%d+):%d+:(%d+)$')
      deadline = tonumber(deadline) or 0
      if deadline > millis then
        holders, used, soonest = holders + 1, used + weight, math.min(soonest, deadline)
        -- Of the fields, whose order is undefined, the one that lasts longest.
        if deadline > ends or deadline == ends and fields[i] > named then
          ends, named = deadline, fields[i]
        end
      else
        lock.changes[fields[i]] = false
      end
    end
  end
  lock.holders, lock.used, lock.soonest, lock.named = holders, used, soonest, string.sub(named, 3)
  lock.ends, lock.onlyLater = ends, false
  if used == 0 then
    lock.marker = nil
  end
end

-- Returns the entry of that id in the line, nil if it is not in the line.
local function entryOf(id)
  local place, deadline, claim, isCounted, inbox = string.match(get('w:' .. id) or '', '^(%d+):(%d+):(%d+)([:.])(.*)$')
  return place and {
    place = tonumber(place), deadline = tonumber(deadline), claim = tonumber(claim),
    isCounted = isCounted == ':' and inbox ~= '', inbox = inbox
  }
end

local function remove(id, place)
  lock.changes['w:' .. id] = false
  lock.changes['e:' .. place] = false
  lock.count = lock.first < lock.last and lock.count - 1 or 0
  -- Empty places at both ends go, so that the line is about as long as it has entries.
  while lock.first < lock.last and not get('e:' .. lock.first) do
    lock.first = lock.first + 1
  end
  if place == lock.last then
    while lock.first < lock.last and not get('e:' .. lock.last) do
      lock.last = lock.last - 1
    end
  end
end

-- Removes the entries whose deadline is over, except that of `caller`, which polls at this moment, and moves the others
-- together if most places are empty. Precedes all changes of entries.
local function cleanLine(caller)
  local live, millis = {}, lock.millis
  lock.due = math.huge
  -- unrolled readFields call HMGET 1
  local from = lock.first
  while from <= lock.last do
    local places, names = {}, {}
    local width = lock.last - from < 63 and math.min(lock.last - from + 1, 8) or 64
    for place = from, from + width - 1 do
      places[#places + 1] = 'e:' .. place
    end
    from = from + width
    local ids = readFields(places, 1, width)
    for i, id in ipairs(ids) do
      names[i] = 'w:' .. (id or '')
    end
    local waits = readFields(names, 1, width)
    for i, id in ipairs(ids) do
      if id then
        local deadline = tonumber(string.match(waits[i] or '', '^%d+:(%d+):')) or 0
        if deadline > millis or id == caller then
          live[#live + 1] = {id = id, wait = waits[i], field = places[i]}
          lock.due = math.min(lock.due, math.max(deadline, millis + 1))
        else
          lock.changes[places[i]] = false
          lock.changes[names[i]] = false
        end
      end
    end
  end
  if lock.last - lock.first >= 2 * #live then
    for _, entry in ipairs(live) do
      lock.changes[entry.field] = false
    end
    for place, entry in ipairs(live) do
      lock.changes['e:' .. place] = entry.id
      lock.changes['w:' .. entry.id] = string.gsub(entry.wait, '^%d+', place)
    end
    lock.first, lock.last = 1, #live
  end
  lock.count = #live
end

-- Reads the lock. The caller is alive, whatever the deadline of its entry.
local function read(caller)
  if held[3] then
    local first, last, count, due = string.match(held[3], '^(%d+):(%d+):(%d+):(%d+)$')
    -- A field that was changed by hand is an empty line; the waiters that were in it find the lock by polling.
    if first and last - first < MOST_PLACES and tonumber(last) < MOST_PLACE then
      lock.first, lock.last, lock.count, lock.due = tonumber(first), tonumber(last), tonumber(count), tonumber(due)
    end
  end
  if lock.owner == '~r' or lock.owner == '~s' then
    lock.marker, lock.owner = lock.owner, false
    local holders, used, soonest, named = string.match(held[4] or '', '^(%d+):(%d+):(%d+):(.*)$')
    if holders then
      lock.holders, lock.used, lock.soonest = tonumber(holders), tonumber(used), tonumber(soonest)
      lock.named, lock.onlyLater = named, true
    end
    if lock.millis >= lock.soonest then
      countHolders()
    end
  end
  if lock.millis >= lock.due or lock.last - lock.first >= 2 * lock.count + SPARE_PLACES then
    cleanLine(caller)
  end
end

-- Puts the acquisition at the end of the line, or sets its deadline again, and returns the milliseconds after which it is to
-- poll; `waiting` is the end of its entry, see acquire.lua.
local function join(id, waiting)
  local entry = entryOf(id)
  if not entry then
    if lock.count == 0 then
      lock.first, lock.last = 1, 0
    end
    lock.last = lock.last + 1
    lock.count = lock.count + 1
    entry = {place = lock.last, deadline = 0}
    lock.changes['e:' .. lock.last] = id
  end
  local ahead = math.min(entry.place - lock.first, lock.count - 1)
  local wait, deadline, interval = entryAt(entry.place, ahead, waiting, entry.deadline, lock.millis, lock.due)
  lock.changes['w:' .. id] = wait
  lock.due = math.min(lock.due, deadline)
  return interval
end

-- Whether the acquisition can be granted beside the present holders.
local function fits(id)
  if lock.owner then
    return false
  end
  if lock.used == 0 then
    return true
  end
  local kind, weight, limit = kindOf(id)
  return kind ~= nil and kind == lock.marker and lock.used + weight <= limit and lock.holders < MOST_HOLDERS
end

-- Returns the token of the grant.
local function grant(id, lease)
  local token = math.max(lock.micros, lock.token + 1)
  local kind, weight = kindOf(id)
  lock.token = token
  if lock.used == 0 then
    lock.soonest, lock.ends, lock.onlyLater = math.huge, nil, false
  end
  if kind then
    -- The name of a holder that stays is kept: each end of the named one costs a refusal that reads all holders.
    lock.named = lock.used > 0 and lock.named ~= '' and lock.named or id
    lock.marker, lock.holders, lock.used = kind, lock.holders + 1, lock.used + weight
    setHolder(id, {deadline = lock.millis + lease, token = token, weight = weight})
  else
    lock.owner, lock.marker = id, nil
    lock.ends = lock.millis + lease
  end
  return token
end

-- Ends a grant.
local function endGrant(id, lastToken)
  local holder = holderOf(id)
  if holder then
    lock.changes['h:' .. id] = false
    lock.holders, lock.used = lock.holders - 1, lock.used - holder.weight
    lock.named = lock.named ~= id and lock.named or ''
    if lock.used == 0 then
      lock.marker = nil
    elseif lock.holders == 1 then
      -- It may be kept for a few milliseconds only, and the key would stay for the lease of those that have left.
      local last = holderOf(lock.named)
      if last then
        lock.ends, lock.onlyLater = last.deadline, false
      end
    end
  else
    lock.owner = false
  end
  lock.token = math.max(lock.token, lastToken)
end

-- Grants the lock to the first in the line that is alive, and to those behind it, as long as they fit; removes those before it
-- that are not. The grant to `caller`, which asks at this moment, has a lease of its own; the others must claim theirs. When
-- `isRelease`, an entry that is late with its poll and whose inbox has no subscriber is skipped, because its instance is gone, if a
-- server has counted the inbox before.
-- The place of one that polls in time stays: a subscription can be dead at the server while the instance is alive. A deadline is
-- three intervals after a poll, and the claim is two of the shortest, so that more than the claim is left within the shortest one; an
-- entry that polls less often counts as alive for longer.
-- Returns the grants to be published, and the token of the caller's.
local function grantLine(caller, lease, isRelease)
  local granted, own = {}, nil
  while not lock.owner and lock.count > 0 do
    local id = get('e:' .. lock.first)
    local entry = id and entryOf(id)
    local isAlive = entry and (entry.deadline > lock.millis or id == caller)
    if isAlive and not fits(id) then
      break
    end
    if id then
      remove(id, lock.first)
    elseif lock.first < lock.last then
      lock.first = lock.first + 1
    else
      lock.count = 0
    end
    if isAlive and id == caller then
      own = grant(id, lease)
    elseif isAlive and not (entry.isCounted and isRelease and entry.deadline - lock.millis < entry.claim
      and hasNoReceiver(name, entry.inbox)) then
      granted[#granted + 1] = {id = id, inbox = entry.inbox, token = grant(id, entry.claim)}
    end
  end
  return granted, own
end

-- Each executes a command with that many fields of the table, from position i on, and returns the reply. The functions are generated with
-- one literal call for each width, 1 to 8 and 64: proxies refuse unpack, and a key that is not literally in the call.
-- unrolled setFields pcall HSET 2
-- unrolled removeFields pcall HDEL 1

-- Executes a command for all of the words, of which each field has as many as `size`. Returns the error, or nil.
local function inParts(execute, words, size)
  local i, left = 1, #words / size
  while left > 0 do
    local fields = left <= 8 and left or left < 64 and 8 or 64
    local reply = execute(words, i, fields)
    if type(reply) == 'table' then
      return reply
    end
    i, left = i + fields * size, left - fields
  end
  return nil
end

-- Writes what has changed of a lock that is owned. Returns the error, or nil.
--
-- With `refusable`, the first command is one that a full Redis refuses before anything has changed. Otherwise it works on a
-- full Redis, which always accepts HDEL and does not refuse the writes that follow it. PEXPIRE is the last write: up to Redis
-- 7.0 it deletes a key whose time passes between its two looks at the clock, and a later write would create the key again,
-- without an expiry.
local function write(refusable)
  local changes = lock.changes
  local stored = {o = held[1], f = held[2], q = held[3], s = held[4]}
  local set, removed = {}, {}
  changes.o = lock.owner or lock.marker
  changes.f = lock.token ~= tonumber(held[2]) and text(lock.token) or held[2]
  changes.q = lock.count > 0 and table.concat({lock.first, lock.last, lock.count, text(lock.due)}, ':')
  changes.s = lock.marker and table.concat({lock.holders, lock.used, text(lock.soonest), lock.named}, ':') or false
  for name, value in pairs(changes) do
    if value == stored[name] then
      -- As it is.
    elseif value then
      set[#set + 1] = name
      set[#set + 1] = value
    else
      removed[#removed + 1] = name
    end
  end
  if #set == 0 and #removed == 0 and not lock.ends then
    return nil
  end
  local failure = nil
  if not refusable and held[1] then
    -- The empty name is the field of no lock.
    failure = inParts(removeFields, #removed > 0 and removed or {''}, 1)
  end
  failure = failure or inParts(setFields, set, 2)
  if refusable then
    failure = failure or inParts(removeFields, removed, 1)
  end
  if not lock.ends or failure then
    return failure
  end
  local left = 0
  if lock.onlyLater then
    left = redis.call('PTTL', KEYS[1])
  end
  local expires = redis.pcall('PEXPIRE', KEYS[1], math.max(lock.ends - lock.millis, left))
  if type(expires) ~= 'table' then
    return nil
  end
  if not held[1] then
    -- Without the permission for PEXPIRE, the lock would never expire.
    redis.pcall('DEL', KEYS[1])
  end
  return expires
end

local function notifyAll(granted)
  for _, entry in ipairs(granted) do
    notify(name, entry.inbox, entry.id, text(entry.token))
  end
end

-- Grants the lock along the line as grantLine does, writes it after a change of its owners, and notifies the waiters that own it now;
-- deletes it if there is no owner. Returns the token of the caller's grant, or nil, and the error, or nil.
local function finish(caller, lease)
  local granted, own = grantLine(caller, lease, true)
  local failure = nil
  if lock.owner or lock.used > 0 then
    failure = write(false)
    if not failure then
      notifyAll(granted)
    end
  else
    -- include free.lua
  end
  return own, failure
end
