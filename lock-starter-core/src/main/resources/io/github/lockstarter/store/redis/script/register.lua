-- Publishes the description of an instance for a limited time, or prolongs that time.
--
-- KEYS[1]  the description: a hash with the fields application, host, pid and started (milliseconds since 1970 by the clock of
--          the instance). Its name ends with the id of the instance
-- ARGV[1]  time to live in milliseconds
-- ARGV[2]  to ARGV[9]: names and values of the four fields in turn, the same in each call for an instance
--
-- Returns 1 if the fields were written, 0 if they were there already.
--
-- Atomic, so that no key remains without an expiry. PEXPIRE comes first: without the permission for it nothing has been
-- written, and a full Redis, which accepts PEXPIRE, does not reject the writes of a script after its first one. Repeated, the
-- script only sets the time again.

local isPresent = redis.call('PEXPIRE', KEYS[1], ARGV[1])
if isPresent == 1 then
  return 0
end

redis.call('HSET', KEYS[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
