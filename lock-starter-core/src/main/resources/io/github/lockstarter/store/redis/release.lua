-- Frees the lock if the acquisition owns it, and says so to those who wait.
--
-- KEYS[1]  the lock
-- ARGV[1]  id of the acquisition that releases
-- ARGV[2]  channel for releases
-- ARGV[3]  name of the lock, the message
--
-- Returns 1 released, 0 nobody owns it, -1 somebody else does or the key holds something else.
--
-- Compare and delete must be one step, or a late release would free the successor's lock. Replayed it finds nothing of
-- its own and changes nothing, because ids are never used twice. DEL works on a full Redis; PUBLISH comes last and under
-- pcall, because a user who may not publish has still released.

local owner = redis.pcall('HGET', KEYS[1], 'o')

if type(owner) == 'table' and owner.err then
  if string.sub(owner.err, 1, 9) == 'WRONGTYPE' then
    return -1
  end
  return owner
end

if owner == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.pcall('PUBLISH', ARGV[2], ARGV[3])
  return 1
end

return owner and -1 or 0
