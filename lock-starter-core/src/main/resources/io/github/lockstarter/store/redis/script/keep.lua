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

-- include id.lua

-- include held.lua
-- include entry.lua
-- include no_messages.lua
-- include lock.lua

read('')

local id, left = ARGV[1], tonumber(ARGV[2])
local kept = '~k' .. id
local keptUntil = lock.millis + left
local holder = holderOf(id)

if lock.owner == id then
  lock.owner, lock.ends = kept, keptUntil
elseif lock.owner == kept then
  local remaining = redis.call('PTTL', KEYS[1])
  lock.ends = (remaining < 0 or remaining > left) and keptUntil or nil
elseif holder then
  lock.changes['h:' .. id] = false
  lock.named = lock.named == id and kept or lock.named
  holder.deadline = keptUntil
  setHolder(kept, holder)
elseif holderOf(kept) then
  holder = holderOf(kept)
  holder.deadline = math.min(holder.deadline, keptUntil)
  setHolder(kept, holder)
else
  return (lock.owner or lock.used > 0) and -1 or 0
end

return write(false) or 1
