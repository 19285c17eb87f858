-- Ends a grant but keeps the lock taken until it expires by itself, for a minimum hold.
--
-- In shared use, only the holder is kept.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition that owns it
-- ARGV[2]  milliseconds until the lock expires, at least 1
--
-- Returns 1 if the lock is kept, 0 if it is free, -1 if another acquisition owns it or the key is not a lock.
--
-- Atomic, because a late execution must not shorten the lease of the next owner. The owner becomes ~k and the id, which is
-- the id of no acquisition: late renewals, acquires and releases of the id neither extend nor end the minimum hold. Only a
-- repetition of this script matches it, and never adds time, because the minimum hold counts from the first execution. It
-- works on a full Redis, which always accepts PEXPIRE, and does not reject the writes of a script after its first one.

local held = redis.pcall('HMGET', KEYS[1], 'o', 'f', 'q', 's')

if held.err then
  if string.sub(held.err, 1, 9) == 'WRONGTYPE' then
    return -1
  end
  return held
end

local kept = '~k' .. ARGV[1]

if not held[1] then
  return 0
end

if held[1] == kept then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 or left > tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return 1
end

if held[1] == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  -- Up to Redis 7.0, PEXPIRE reads the clock twice and deletes the key if the time has passed in between. HSET would create
  -- the key again, without an expiry.
  if redis.call('PTTL', KEYS[1]) >= 0 then
    redis.call('HSET', KEYS[1], 'o', kept)
  end
  return 1
end

-- include interval.lua
-- include lock.lua

read('')

if not lock.marker then
  return lock.owner and -1 or 0
end

local keptUntil = lock.millis + ARGV[2]
local holder = holderOf(ARGV[1])
if holder then
  lock.changes['h:' .. ARGV[1]] = false
  holder.deadline = keptUntil
elseif holderOf(kept) then
  holder = holderOf(kept)
  holder.deadline = math.min(holder.deadline, keptUntil)
else
  return -1
end
if lock.named == ARGV[1] then
  lock.named = kept
end
setHolder(kept, holder)
write(redis.call, false)
return 1
