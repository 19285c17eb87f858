-- Grants the lock if it is free or the acquisition fits beside its holders, and repeats the grant to its owner; otherwise
-- joins the waiting line if requested. shared.lua describes locks in shared use.
--
-- KEYS[1]  the lock: a hash with the fields o (id of the owning acquisition; ~k and the id while the lock is kept for a
--          minimum hold, see keep.lua), f (its fencing token) and q (the waiting line in order of arrival; absent if empty)
-- ARGV[1]  id of the acquisition; its end states whether it acquires the lock, the lock for reading, or permits
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  milliseconds in which it would claim a grant from the line; absent: it does not join
-- ARGV[4]  id of the instance whose channel is notified of such a grant; empty: the instance only polls
--
-- Returns the fencing token (positive) if the acquisition owns or shares the lock, otherwise the remaining milliseconds of
-- the holder's lease, negated (-2^52 if its key does not expire); of several holders, the first one to expire counts.
-- Returns an error if the key is not a lock, and an error that begins with LOCKKIND if a lock is in use for permits or
-- the other way round.
--
-- Atomic, because the check that the lock is free and the grant must be one step. Repeated with the same id, it sets the
-- full lease again unless more is left, and returns the same token: the owner counts its lease from the attempt that was
-- answered, and a grant from the line has only set the short time in which it must be claimed. A full Redis rejects the
-- script at HSET, its first write, before anything has changed. Joining the line uses pcall, because an acquisition that
-- cannot join polls, unless the server is not the master. The id of a kept lock, or of a writer that has become a reader,
-- does not join: its acquisition has ended, so that a grant to it would never be claimed.
--
-- In shared use it also grants the lock along the line, and notifies those waiters: a holder or a waiter that has crashed
-- delays the others until its time is over, however long other holders stay. Nothing is granted past the first in line.

-- Negative if the key does not exist (-2) or does not expire (-1).
local left = redis.call('PTTL', KEYS[1])

-- Ids of exclusive acquisitions contain no dot.
local isExclusive = not string.find(ARGV[1], '.', 1, true)

if isExclusive and left == -2 then
  local time = redis.call('TIME')
  local token = time[1] * 1000000 + time[2]
  -- tostring() would round the token.
  redis.call('HSET', KEYS[1], 'o', ARGV[1], 'f', string.format('%.0f', token))
  local set = redis.pcall('PEXPIRE', KEYS[1], ARGV[2])
  if type(set) == 'table' then
    -- Without the permission for PEXPIRE, the lock would never expire.
    redis.pcall('DEL', KEYS[1])
    redis.pcall('HDEL', KEYS[1], 'o', 'f')
    return set
  end
  return token
end

local held = redis.call('HMGET', KEYS[1], 'o', 'f', 'q')
local owner = held[1]

if isExclusive and owner == ARGV[1] then
  if left < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return tonumber(held[2])
end

-- include shared.lua

local kind, weight = kindOf(ARGV[1])

if owner and owner ~= ARGV[1] and not isMarker(owner) then
  if kind == '~s' and kindOf(owner) ~= '~s' then
    return redis.error_reply('LOCKKIND the lock is in use as a lock, and cannot be used for permits')
  end
  if ARGV[3] and owner ~= '~k' .. ARGV[1] then
    local line = held[3] or ''
    local entry = ';' .. ARGV[1] .. ':' .. ARGV[4] .. ':' .. ARGV[3]
    local from = string.find(line, ';' .. ARGV[1] .. ':', 1, true)
    local joined = 0
    if not from then
      joined = redis.pcall('HSET', KEYS[1], 'q', line .. entry)
    else
      -- It is in the line already; the instance and the time may have changed.
      local to = string.find(line, ';', from + 1, true) or #line + 1
      if string.sub(line, from, to - 1) ~= entry then
        joined = redis.pcall('HSET', KEYS[1], 'q', string.sub(line, 1, from - 1) .. entry .. string.sub(line, to))
      end
    end
    if type(joined) == 'table' and string.find(joined.err, 'READONLY', 1, true) then
      -- The server is a replica now: its data about the holder is outdated and may never change.
      return joined
    end
  end
  if left < 0 then
    return -4503599627370496
  end
  return -math.max(left, 1)
end

if left ~= -2 and not owner then
  return redis.error_reply('WRONGTYPE the key holds a hash that is not a lock')
end

local lock = readShared(KEYS[1], redis.call('HGETALL', KEYS[1]), ARGV[1])
local id, lease = ARGV[1], tonumber(ARGV[2])

if next(lock.holders) ~= nil and kind ~= lock.marker and (kind == '~s' or lock.marker == '~s') then
  local use = lock.marker == '~s' and 'for permits, and cannot be used as a lock' or 'as a lock, and cannot be used for permits'
  return redis.error_reply('LOCKKIND the lock is in use ' .. use)
end

if lock.owner then
  -- A release of an earlier version has granted it exclusively to this acquisition, which shares it from now on.
  lock.owner = nil
  lock.marker = kind
  lock.holders[id] = {deadline = lock.millis + math.max(lease, left), token = lock.token, weight = weight}
  lock.token = kind == '~s' and lock.token + 63 or lock.token
end

local position = positionOf(lock, id)
if position then
  lock.line[position].lease = lease
end

local granted = grantLine(lock)
local holder = lock.holders[id]
local token = nil
local isNew = false

if lock.owner == id then
  token = lock.token
elseif holder then
  holder.deadline = math.max(holder.deadline, lock.millis + lease)
  token = holder.token
elseif not (lock.holders['~k' .. id] or lock.holders[id .. '.r'] or lock.holders['~k' .. id .. '.r']) then
  if #lock.line == 0 and fits(lock, id) then
    token = grant(lock, id, lease)
    isNew = true
  elseif ARGV[3] then
    position = positionOf(lock, id)
    isNew = not position
    local entry = position and lock.line[position] or {id = id}
    entry.inbox = ARGV[4]
    entry.claim = tonumber(ARGV[3])
    lock.line[position or #lock.line + 1] = entry
    -- Three poll intervals: the claim lasts for two of them.
    lock.waits[id] = lock.millis + 1.5 * entry.claim
  end
end

local failure = writeShared(lock, isNew and #granted == 0)
if failure then
  if token or #granted > 0 or string.find(failure.err, 'READONLY', 1, true) then
    return failure
  end
else
  publish(KEYS[1], granted)
end

if token then
  return token
end

local first = lock.owner and lock.millis + lock.lease or math.huge
for _, each in pairs(lock.holders) do
  first = math.min(first, each.deadline)
end
return -math.max(first - lock.millis, 1)
