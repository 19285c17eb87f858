-- Renews leases, each independently of the others.
--
-- In shared use, the acquisition must be a holder.
--
-- KEYS[i]  the locks, see lock.lua
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own the locks, in the order of the keys, separated by ;
--
-- Returns the failures only, as a flat list: the position of the key, counted from 1, then 0 if the lock is free, -1 if
-- another acquisition owns it or the key is not a lock, or the text of the error for this key.
--
-- Atomic, because the owner must be compared and the lease extended in one step, or a late renewal would extend the lease
-- of the next owner. It never creates a key and never shortens a lease. One script for many locks saves commands; each
-- command uses pcall, so that a key of another type affects only its own lock. It works on a full Redis, which always
-- accepts PEXPIRE.

-- include renewals.lua

-- REDIS_VERSION_NUM exists from Redis 7.0 on, as does GT, which saves one command for each lock.
local greater = redis.REDIS_VERSION_NUM ~= nil

local lease = ARGV[1]

local function expire(key)
  local set = nil
  if greater then
    set = redis.pcall('PEXPIRE', key, lease, 'GT')
  else
    set = redis.pcall('PTTL', key)
    if type(set) == 'number' and set >= 0 and set < tonumber(lease) then
      set = redis.pcall('PEXPIRE', key, lease)
    end
  end
  return type(set) == 'table' and set.err or nil
end

return renewAll(tonumber(lease), ARGV[2], expire, false)
