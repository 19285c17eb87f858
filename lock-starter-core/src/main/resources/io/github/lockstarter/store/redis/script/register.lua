-- Publishes the description of an instance for a limited time, or prolongs that time.
--
-- KEYS[1]  the description: a hash with the fields application, host, pid and started (milliseconds since 1970 by the clock of
--          the instance). Its name ends with the id of the instance
-- ARGV[1]  time to live in milliseconds
-- ARGV[2]  and so on: names and values of the fields in turn, the same in each call for an instance
--
-- Returns 1 if the fields were written, 0 if they were there already.
--
-- Atomic, so that no key remains without an expiry. PEXPIRE comes first: without the permission for it nothing has been
-- written, and a full Redis, which accepts PEXPIRE, does not reject the writes of a script after its first one. Repeated, the
-- script only sets the time again.

if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 1 then
  return 0
end

redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
