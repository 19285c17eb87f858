-- Grants the lock if it is free, or answers its owner again; otherwise joins the waiting line if asked to.
--
-- KEYS[1]  the lock: a hash with the fields o (id of the acquisition that owns it; ~k and that id while the lock is kept
--          for a minimum hold, see keep.lua), f (its fencing token) and q (the waiting line, in the order of arrival;
--          absent when it is empty)
-- ARGV[1]  id of the acquisition that asks
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  milliseconds in which it would claim a grant from the line; absent: do not join
-- ARGV[4]  instance whose inbox hears of such a grant; empty: it only polls
--
-- Returns the fencing token (positive) if the acquisition owns the lock now, otherwise the holder's remaining
-- milliseconds, negated (-2^52: the holder's key has no end).
--
-- One script, because deciding that the lock is free and taking it must be one step. Replayed with the same id it sets
-- the full lease again, unless more is left, and returns the token of the first time: the owner counts its lease from the
-- attempt that was answered, and a grant from the line has left a much shorter one on the key. HSET is the first write, so
-- a full Redis refuses it before anything changed; to join the line it stands under pcall, because who cannot join polls,
-- unless this is not the master at all. An acquisition whose own lock is kept has ended: executed late, its acquire does
-- not join the line: the grant would never be claimed.

local fields = redis.call('HGETALL', KEYS[1])

if #fields == 0 then
  -- Microseconds stay below 2^53, so Lua counts them exactly; tostring() would round them, hence the format.
  local time = redis.call('TIME')
  local token = time[1] * 1000000 + time[2]
  redis.call('HSET', KEYS[1], 'o', ARGV[1], 'f', string.format('%.0f', token))
  local set = redis.pcall('PEXPIRE', KEYS[1], ARGV[2])
  if type(set) == 'table' then
    -- A user without that permission must not leave a lock that never ends.
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
      -- It stands there already, and says anew how it can be reached.
      local to = string.find(line, ';', from + 1, true) or #line + 1
      if string.sub(line, from, to - 1) ~= entry then
        joined = redis.pcall('HSET', KEYS[1], 'q', string.sub(line, 1, from - 1) .. entry .. string.sub(line, to))
      end
    end
    if type(joined) == 'table' and string.find(joined.err, 'READONLY', 1, true) then
      -- A master that was demoted: what it says of the holder is old, and will never change for who only looks.
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
