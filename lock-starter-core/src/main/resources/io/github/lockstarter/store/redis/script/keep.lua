-- Ends a grant but keeps the lock taken until it expires by itself, for a minimum hold.
--
-- shared.lua describes locks in shared use: there only the holder is kept.
--
-- KEYS[1]  the lock, see acquire.lua
-- ARGV[1]  id of the acquisition that owns it
-- ARGV[2]  milliseconds until the lock expires, at least 1
--
-- Returns 1 if the lock is kept, 0 if it is free, -1 if another acquisition owns it or the key is not a lock.
--
-- Atomic, because a late execution must not shorten the lease of the next owner. The owner becomes ~k and the id, which is
-- the id of no acquisition: late renewals, acquires and releases of the id neither extend nor end the minimum hold. Only a
-- repetition of this script matches it, and never adds time, because the minimum hold counts from the first execution. It
-- works on a full Redis, which always accepts PEXPIRE, and does not reject the writes of a script after its first one.

local owner = redis.pcall('HGET', KEYS[1], 'o')

if type(owner) == 'table' then
  if string.sub(owner.err, 1, 9) == 'WRONGTYPE' then
    return -1
  end
  return owner
end

if not owner then
  return 0
end

-- include shared.lua

local kept = '~k' .. ARGV[1]

if isMarker(owner) then
  local lock = readShared(KEYS[1], redis.call('HGETALL', KEYS[1]))
  local ends = lock.millis + ARGV[2]
  local holder = lock.holders[ARGV[1]]
  if holder then
    lock.holders[ARGV[1]] = nil
    lock.holders[kept] = holder
    holder.deadline = ends
  elseif lock.holders[kept] then
    lock.holders[kept].deadline = math.min(lock.holders[kept].deadline, ends)
  else
    return next(lock.holders) ~= nil and -1 or 0
  end
  return writeShared(lock, false) or 1
end

if owner == kept then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 or left > tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return 1
end

if owner ~= ARGV[1] then
  return -1
end

redis.call('PEXPIRE', KEYS[1], ARGV[2])
-- Up to Redis 7.0, PEXPIRE reads the clock twice and deletes the key if the time has passed in between. HSET would create the
-- key again, without an expiry.
if redis.call('PTTL', KEYS[1]) >= 0 then
  redis.call('HSET', KEYS[1], 'o', kept)
end
return 1
