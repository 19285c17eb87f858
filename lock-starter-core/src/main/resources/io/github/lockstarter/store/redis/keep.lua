-- Lets a lock run out at a given time instead of releasing it: for a lock that must be kept for a minimum time.
--
-- KEYS[1]  the lock, see acquire.lua
-- ARGV[1]  id of the acquisition that must own it
-- ARGV[2]  milliseconds that the lock is kept
--
-- Returns 1 kept, 0 nobody owns the lock, -1 somebody else does or the key holds something else.
--
-- One script, because a late one must not shorten the lease of the successor. The owner stays in the key, so nobody is
-- let in, and nobody renews it any more. PEXPIRE works on a full Redis.

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

if owner ~= ARGV[1] then
  return -1
end

redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
