-- Returns the version of the format in which locks are stored, and writes it if there is none.
--
-- KEYS[1]  a hash with the field version, which does not expire
-- ARGV[1]  version of the caller
--
-- Returns the stored version; that of the caller if there is none, or if the key has other data.
--
-- Atomic, because of two instances with different versions the second one must find the version of the first. Each command
-- uses pcall: a full Redis, a replica and a key of another type are no reason to fail, and the next connection calls again.

local stored = redis.pcall('HGET', KEYS[1], 'version')
if not stored then
  redis.pcall('HSET', KEYS[1], 'version', ARGV[1])
end
return tonumber(stored) or tonumber(ARGV[1])
