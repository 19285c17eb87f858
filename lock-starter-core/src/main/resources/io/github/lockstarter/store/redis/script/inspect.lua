-- Describes the lock without changing it.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  any value: only whether the lock is owned; absent: all of it
--
-- Returns a list: the id of the owner, the largest fencing token so far, the remaining milliseconds of the lease (negative if
-- the key does not expire), the number of entries in the waiting line, and a list of the ids of the first 100 of them, as far
-- as they are in its first 2000 places. In shared use the owner is the marker, and four values follow for each holder: its id,
-- its token, the remaining milliseconds of its lease, and its weight. The list is empty if the lock is free, and has the owner
-- alone if only that is requested. Returns an error if the key is not a hash.
--
-- Atomic, because the owner and its token belong together. Holders and entries whose time is over are left out, unless the
-- next command for the lock removes them.

local held = redis.call('HMGET', KEYS[1], 'o', 'f', 'q', 's')

if not held[1] then
  return {}
end

-- include entry.lua
-- include no_messages.lua
-- include lock.lua

read('')

if ARGV[1] then
  return {lock.owner or lock.marker}
end

local ids = {}
for place = lock.first, math.min(lock.last, lock.first + 1999) do
  if #ids == 100 then
    break
  end
  ids[#ids + 1] = get('e:' .. place) or nil
end

local left = redis.call('PTTL', KEYS[1])
local reply = {held[1], lock.token, left, lock.count, ids}
if not lock.marker then
  return held[1] == lock.owner and reply or {}
end

local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local id = string.match(fields[i], '^h:(.*)$')
  local holder = id and toHolder(fields[i + 1])
  if holder and holder.deadline > lock.millis then
    reply[#reply + 1] = id
    reply[#reply + 1] = holder.token
    reply[#reply + 1] = holder.deadline - lock.millis
    reply[#reply + 1] = lock.marker == '~s' and holder.weight or 0
  end
end
return reply
