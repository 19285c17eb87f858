-- Frees the lock whoever owns it, and says so to those who wait.
--
-- KEYS[1]  the lock
-- ARGV[1]  channel for releases
-- ARGV[2]  name of the lock, the message
--
-- Returns 1 if somebody owned it, else 0.
--
-- One step, so that what is deleted is a lock: a key without an owner is somebody else's data and stays.

if redis.call('HEXISTS', KEYS[1], 'o') == 1 then
  redis.call('DEL', KEYS[1])
  redis.pcall('PUBLISH', ARGV[1], ARGV[2])
  return 1
end

return 0
