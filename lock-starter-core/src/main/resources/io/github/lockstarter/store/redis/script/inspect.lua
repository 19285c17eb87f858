-- Describes the lock without changing it. For a waiter, only a server that accepts writes answers.
--
-- KEYS[1]  the lock, see acquire.lua
-- ARGV[1]  id of an acquisition whose position is queried; absent: none
--
-- Returns a list: the id of the owner, the fencing token of the last grant by Redis, the remaining milliseconds of the lease
-- (negative if the key does not expire), the number of entries in the waiting line, and 1 if the acquisition is in the line,
-- 0 if not. The list is empty if the lock is free. Returns an error if the key is not a hash.
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

local line = held[3] or ''
local _, entries = string.gsub(line, ';', ';')
local from = ARGV[1] and string.find(line, ';' .. ARGV[1] .. ':', 1, true)

return {held[1], tonumber(held[2]) or 0, redis.call('PTTL', KEYS[1]), entries, from and 1 or 0}
