-- Functions of the scripts for locks in shared use: by readers, or by holders of permits. Scripts include this text after the
-- part that serves locks which are free or owned by the caller alone: Redis creates all functions at each call.
--
-- A lock in shared use is a hash with these fields:
--   o       ~r: readers; ~s: permits. The key exists if and only if the lock is owned, for earlier versions as well
--   h:<id>  a holder: the end of its lease in milliseconds of the server's clock, its fencing token and its weight,
--           separated by colons; h:~k<id> is kept for a minimum hold, see keep.lua
--   w:<id>  the time in milliseconds at which an entry of the line is removed unless it polls again; without this field, it
--           is not removed: it joined while the lock was owned exclusively, or under an earlier version
--   f       the largest fencing token so far
--   q       the waiting line, see release.lua
-- The key expires with the last holder. If o is no marker, fields h: and w: are void: an earlier version may have forced the
-- lock open and granted it exclusively.
--
-- The end of an id states what it acquires: .r a lock for reading, .s<weight>.<limit> permits; otherwise the lock alone. So
-- an earlier version keeps such an entry of the line unchanged, and grants it exclusively, which is safe.
--
-- Deadlines of holders are fields of their own, because one time to live for all would let a crashed holder block others
-- for as long as any holder lives.

local function kindOf(id)
  local weight, limit = string.match(id, '%.s(%d+)%.(%d+)$')
  if weight then
    return '~s', tonumber(weight), tonumber(limit)
  end
  return string.sub(id, -2) == '.r' and '~r' or nil, 0, 0
end

local function isMarker(owner)
  return owner == '~r' or owner == '~s'
end

-- Returns the server's time in microseconds and in milliseconds. Microseconds stay below 2^53, so that Lua computes with
-- them exactly.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Reads a lock from the reply to HGETALL, without holders and entries of the line whose time is over. The entry of `caller`
-- stays, because it polls at this moment.
local function readShared(key, fields, caller)
  local micros, millis = serverTime()
  local lock = {key = key, micros = micros, millis = millis, stored = {}, holders = {}, waits = {}, line = {}}
  for i = 1, #fields, 2 do
    lock.stored[fields[i]] = fields[i + 1]
  end
  lock.token = tonumber(lock.stored.f) or 0
  local owner = lock.stored.o
  if isMarker(owner) then
    lock.marker = owner
    for name, value in pairs(lock.stored) do
      local kind = string.sub(name, 1, 2)
      if kind == 'h:' then
        local deadline, token, weight = string.match(value, '^(%d+):(%d+):(%d+)$')
        if deadline and tonumber(deadline) > millis then
          lock.holders[string.sub(name, 3)] =
            {deadline = tonumber(deadline), token = tonumber(token), weight = tonumber(weight)}
        end
      elseif kind == 'w:' then
        lock.waits[string.sub(name, 3)] = tonumber(value)
      end
    end
  else
    lock.owner = owner
  end
  local line = lock.stored.q or ''
  while line ~= '' do
    local id, inbox, claim, rest = string.match(line, '^;([^:]*):([^:]*):([1-9]%d*)(.*)$')
    if not id or #claim > 12 then
      -- The field was changed by hand; the waiters that were in the line find the lock by polling.
      lock.line = {}
      break
    end
    if not lock.waits[id] or lock.waits[id] > millis or id == caller then
      lock.line[#lock.line + 1] = {id = id, inbox = inbox, claim = tonumber(claim)}
    end
    line = rest
  end
  return lock
end

local function positionOf(lock, id)
  for i, entry in ipairs(lock.line) do
    if entry.id == id then
      return i
    end
  end
  return nil
end

-- Whether the acquisition can be granted beside the present holders.
local function fits(lock, id)
  if lock.owner then
    return false
  end
  if next(lock.holders) == nil then
    return true
  end
  local kind, weight, limit = kindOf(id)
  if kind ~= lock.marker then
    return false
  end
  if kind == '~s' then
    for _, holder in pairs(lock.holders) do
      weight = weight + holder.weight
    end
  end
  return kind == '~r' or weight <= limit
end

-- Returns the token of the grant. A JVM hands permits over in memory with the next token: each grant reserves 64 of them, so
-- that no two holders have the same. Readers share a token, and the tokens of exclusive grants have the lock's past alone.
local function grant(lock, id, lease)
  local token = math.max(lock.micros, lock.token + 1)
  local kind, weight = kindOf(id)
  if kind then
    lock.marker = kind
    lock.holders[id] = {deadline = lock.millis + lease, token = token, weight = weight}
  else
    lock.owner = id
    lock.lease = lease
  end
  lock.token = kind == '~s' and token + 63 or token
  return token
end

-- Ends a grant. The last holder gives back the tokens that it has reserved and not used, unless a later grant has reserved
-- others, so that tokens of a semaphore with one permit do not run ahead of the server's time.
local function endGrant(lock, id, lastToken)
  local holder = lock.holders[id]
  lock.owner = nil
  lock.holders[id] = nil
  if holder and next(lock.holders) == nil and lock.token == holder.token + 63 then
    lock.token = holder.token
  end
  lock.token = math.max(lock.token, lastToken)
end

-- The grant loop: grants the lock to the first in the line, and to those behind it, as long as they fit. An entry with a
-- lease of its own asks at this moment; the others must claim their grant.
local function grantLine(lock)
  local granted = {}
  while lock.line[1] and fits(lock, lock.line[1].id) do
    local entry = table.remove(lock.line, 1)
    entry.token = grant(lock, entry.id, entry.lease or entry.claim)
    granted[#granted + 1] = entry
  end
  return granted
end

-- Returns the fields of the lock as they are to be, and the milliseconds until it expires.
local function fieldsOf(lock)
  local fields = {f = string.format('%.0f', lock.token), o = lock.owner or lock.marker}
  local ttl = lock.lease
  if not lock.owner then
    ttl = 0
    for id, holder in pairs(lock.holders) do
      fields['h:' .. id] = string.format('%.0f:%.0f:%.0f', holder.deadline, holder.token, holder.weight)
      ttl = math.max(ttl, holder.deadline - lock.millis)
    end
  end
  local line = {}
  for _, entry in ipairs(lock.line) do
    line[#line + 1] = string.format(';%s:%s:%.0f', entry.id, entry.inbox, entry.claim)
    local wait = lock.waits[entry.id]
    -- It joined while the lock was owned exclusively, and must poll from now on. An instance of an earlier version, whose inbox
    -- has no mark, does not prolong its wait by polling.
    if not wait and (entry.inbox == '' or string.sub(entry.inbox, -1) == '+') then
      wait = lock.millis + 1.5 * entry.claim
      -- For the next write, which follows if a grant is taken back.
      lock.waits[entry.id] = wait
    end
    if wait and not lock.owner then
      fields['w:' .. entry.id] = string.format('%.0f', wait)
    end
  end
  if #line > 0 then
    fields.q = table.concat(line)
  end
  return fields, ttl
end

-- Writes what has changed of a lock that has an owner or a holder.
--
-- With `refusable`, the first command is one that a full Redis refuses before anything has changed, and the error is returned.
-- Otherwise errors end the script, before any message is published, and it works on a full Redis, which always accepts
-- PEXPIRE and does not refuse the writes that follow it. PEXPIRE is also the last write: up to Redis 7.0 it deletes a key
-- whose time passes between its two looks at the clock, and a later write would create the key again, without an expiry.
local function writeShared(lock, refusable)
  local fields, ttl = fieldsOf(lock)
  local changed, removed = {}, {}
  for name, value in pairs(fields) do
    if lock.stored[name] ~= value then
      changed[#changed + 1] = name
      changed[#changed + 1] = value
    end
  end
  for name in pairs(lock.stored) do
    if not fields[name] then
      removed[#removed + 1] = name
    end
  end
  if #changed == 0 and #removed == 0 then
    return nil
  end
  local isNew = lock.stored.o == nil
  if not refusable and not isNew then
    redis.call('PEXPIRE', lock.key, ttl)
  end
  -- In parts, because Lua's stack limits the number of arguments.
  local command = refusable and redis.pcall or redis.call
  for i = 1, #changed, 1000 do
    local set = command('HSET', lock.key, unpack(changed, i, math.min(i + 999, #changed)))
    if type(set) == 'table' then
      return set
    end
  end
  for i = 1, #removed, 1000 do
    redis.call('HDEL', lock.key, unpack(removed, i, math.min(i + 999, #removed)))
  end
  local set = command('PEXPIRE', lock.key, ttl)
  if type(set) == 'table' then
    -- Without the permission for PEXPIRE, the lock would never expire.
    if isNew then
      redis.pcall('DEL', lock.key)
    end
    return set
  end
  lock.stored = fields
  return nil
end

-- Publishes one message to each inbox: the key, followed by <id>:<token> if the inbox got one grant and its instance reads
-- that. Returns the inboxes whose channel has no receivers. Uses pcall: without the permission to publish, waiters poll. With
-- `countsAllReceivers`, they are counted before, see release.lua.
local function publish(key, granted, countsAllReceivers)
  local numbers, dead = {}, {}
  for _, entry in ipairs(granted) do
    if not entry.lease then
      numbers[entry.inbox] = (numbers[entry.inbox] or 0) + 1
    end
  end
  local prefix = string.match(key, '^(.-):{') .. ':inbox:'
  for _, entry in ipairs(granted) do
    local inbox = entry.inbox
    local number = not entry.lease and numbers[inbox]
    if number and inbox ~= '' then
      numbers[inbox] = nil
      local subscribers = countsAllReceivers and redis.pcall('PUBSUB', 'NUMSUB', prefix .. inbox)[2]
      local message = key
      if number == 1 and string.sub(inbox, -1) == '+' and (subscribers or not countsAllReceivers) then
        message = key .. entry.id .. ':' .. string.format('%.0f', entry.token)
      end
      if subscribers == 0 or (redis.pcall('PUBLISH', prefix .. inbox, message) == 0 and not subscribers) then
        dead[inbox] = true
      end
    end
  end
  return dead
end

-- Grants the lock along the line, writes it and notifies the waiters; frees the lock if no waiter is left. With
-- `countsAllReceivers`, a grant to an inbox without receivers is taken back, because its instance is gone.
local function advance(lock, countsAllReceivers)
  local takenBack
  repeat
    takenBack = false
    local granted = grantLine(lock)
    if not lock.owner and next(lock.holders) == nil then
      redis.call('DEL', lock.key)
      return
    end
    writeShared(lock, false)
    local dead = publish(lock.key, granted, countsAllReceivers)
    for _, entry in ipairs(granted) do
      if countsAllReceivers and not entry.lease and dead[entry.inbox] then
        takenBack = true
        lock.owner = nil
        lock.holders[entry.id] = nil
      end
    end
  until not takenBack
end
