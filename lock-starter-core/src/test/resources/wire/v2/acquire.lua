-- Grants the lock if it is free, and repeats the grant to its owner; otherwise joins the waiting line if requested.
--
-- KEYS[1]  the lock: a hash with the fields o (id of the owning acquisition; ~k and the id while the lock is kept for a
--          minimum hold, see keep.lua), f (its fencing token) and q (the waiting line in order of arrival; absent if empty)
-- ARGV[1]  id of the acquisition
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  milliseconds in which it would claim a grant from the line; absent: it does not join
-- ARGV[4]  id of the instance whose channel is notified of such a grant; empty: the instance only polls
--
-- Returns the fencing token (positive) if the acquisition owns the lock, otherwise the remaining milliseconds of the
-- holder's lease, negated (-2^52 if its key does not expire). Returns an error if the key is not a lock.
--
-- Atomic, because the check that the lock is free and the grant must be one step. Repeated with the same id, it sets the
-- full lease again unless more is left, and returns the same token: the owner counts its lease from the attempt that was
-- answered, and a grant from the line has only set the short time in which it must be claimed. A full Redis rejects the
-- script at HSET, its first write, before anything has changed. Joining the line uses pcall, because an acquisition that
-- cannot join polls, unless the server is not the master. The id of a kept lock does not join: its acquisition has ended,
-- so that a grant to it would never be claimed.

local fields = redis.call('HGETALL', KEYS[1])

if #fields == 0 then
  -- Microseconds stay below 2^53, so that Lua computes with them exactly; tostring() would round them.
  local time = redis.call('TIME')
  local token = time[1] * 1000000 + time[2]
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

local lock = {}
for i = 1, #fields, 2 do
  lock[fields[i]] = fields[i + 1]
end

if lock.o == ARGV[1] then
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return tonumber(lock.f)
end

if lock.o then
  if ARGV[3] and lock.o ~= '~k' .. ARGV[1] then
    local line = lock.q or ''
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
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    return -4503599627370496
  end
  return -math.max(left, 1)
end

return redis.error_reply('WRONGTYPE the key holds a hash that is not a lock')
