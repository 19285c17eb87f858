-- Writes locks again whose grant or renewal replicas are to acknowledge, each independently of the others. The WAIT that
-- follows on the same connection returns when the replicas have these writes, and so all earlier ones.
--
-- In shared use, the acquisition must be a holder.
--
-- KEYS[i]  the locks, see lock.lua
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own the locks, in the order of the keys, separated by ;
--
-- Returns the failures only, as renew.lua does: the position of the key, counted from 1, then 0 if the lock is free, -1 if
-- another acquisition owns it or the key is not a lock, or the text of the error for this key.
--
-- Atomic, because the owner must be compared and the lease extended in one step, or a late confirmation would extend the
-- lease of the next owner. It never creates a key and never shortens a lease: the lease of a nested hold may be longer.
-- Unlike renew.lua it writes each key that its acquisition owns, even if that changes nothing, because a write that is
-- skipped is not replicated. Each command uses pcall, so that a key of another type affects only its own lock. It works on a
-- full Redis, which always accepts PEXPIRE.

-- include renewals.lua

local lease = tonumber(ARGV[1])

local function expire(key)
  local set = redis.pcall('PTTL', key)
  if type(set) == 'number' then
    set = redis.pcall('PEXPIRE', key, math.max(set, lease))
  end
  if type(set) == 'table' then
    return set.err
  end
  return set == 0 and 0 or nil
end

return renewAll(lease, ARGV[2], expire, true)
