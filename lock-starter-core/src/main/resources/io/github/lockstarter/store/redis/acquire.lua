-- Grants the lock if it is free, or answers its owner again.
--
-- KEYS[1]  the lock: a hash with the fields o (id of the acquisition that owns it) and f (its fencing token)
-- ARGV[1]  id of the acquisition that asks
-- ARGV[2]  lease in milliseconds
--
-- Returns the fencing token (positive) if the acquisition owns the lock now, otherwise the holder's remaining
-- milliseconds, negated (-2^52: the holder's key has no end).
--
-- One script, because deciding that the lock is free and taking it must be one step. Replayed with the same id it sets
-- the full lease again, unless more is left, and returns the token of the first time: the owner counts its lease from the
-- attempt that was answered, and that one may be the replay. HSET is the first write, so a full Redis refuses it before anything changed.

local owner = redis.call('HGET', KEYS[1], 'o')

if owner == ARGV[1] then
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return tonumber(redis.call('HGET', KEYS[1], 'f'))
end

if owner then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    return -4503599627370496
  end
  return -math.max(left, 1)
end

if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE the key holds a hash that is not a lock')
end

-- Microseconds stay below 2^53, so Lua counts them exactly; tostring() would round them, hence the format.
local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
redis.call('HSET', KEYS[1], 'o', ARGV[1], 'f', string.format('%.0f', token))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return token
