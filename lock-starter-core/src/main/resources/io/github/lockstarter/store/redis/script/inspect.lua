-- Describes the lock without changing it. For a waiter, only a server that accepts writes answers.
--
-- shared.lua describes locks in shared use.
--
-- KEYS[1]  the lock, see acquire.lua
-- ARGV[1]  id of an acquisition whose position is queried; absent: none
--
-- Returns a list: the id of the owner, the fencing token of the last grant by Redis, the remaining milliseconds of the lease
-- (negative if the key does not expire), the number of entries in the waiting line, and 1 if the acquisition is in the line,
-- 0 if not. In shared use the owner is the marker, and four values follow for each holder: its id, its token, the remaining
-- milliseconds of its lease, and its weight. The list is empty if the lock is free. Returns an error if the key is not a hash.
--
-- Atomic, because a waiter concludes from the token and from its own entry in the line that a larger token is a later grant.
-- The reply to a waiter must not come from a server that has become a replica, whose data can be older than a grant: HDEL of
-- a field that no lock has changes nothing and is not replicated, but is rejected there. It works on a full Redis, which
-- always accepts HDEL.

if ARGV[1] then
  local accepted = redis.pcall('HDEL', KEYS[1], '')
  if type(accepted) == 'table' and string.sub(accepted.err, 1, 9) ~= 'WRONGTYPE' then
    return accepted
  end
end

local held = redis.pcall('HMGET', KEYS[1], 'o', 'f', 'q')

if held.err then
  return held
end

if not held[1] then
  return {}
end

-- include shared.lua

local line = held[3] or ''
local _, entries = string.gsub(line, ';', ';')
local from = ARGV[1] and string.find(line, ';' .. ARGV[1] .. ':', 1, true)

if isMarker(held[1]) then
  local lock = readShared(KEYS[1], redis.call('HGETALL', KEYS[1]))
  local reply = {held[1], lock.token, redis.call('PTTL', KEYS[1]), #lock.line, 0}
  if ARGV[1] and positionOf(lock, ARGV[1]) then
    reply[5] = 1
  end
  for id, holder in pairs(lock.holders) do
    reply[#reply + 1] = id
    reply[#reply + 1] = holder.token
    reply[#reply + 1] = holder.deadline - lock.millis
    reply[#reply + 1] = holder.weight
  end
  return next(lock.holders) ~= nil and reply or {}
end

return {held[1], tonumber(held[2]) or 0, redis.call('PTTL', KEYS[1]), entries, from and 1 or 0}
