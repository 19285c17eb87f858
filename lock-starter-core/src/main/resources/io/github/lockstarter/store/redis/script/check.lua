-- Executes the commands of all scripts, each independently of the others, to find those that the user may not execute.
--
-- KEYS[1]  the key that the commands name, which no lock has
-- ARGV[1]  any value: only the commands that read and write fields; absent: all of them
--
-- Returns the failures only, as a flat list: the name of the command, then the text of its error.
--
-- One script, because permissions inside of a script must be checked there, and a single call leaves nothing half done when
-- the connection breaks. No command may create a key: HSET lacks a value, which a server rejects after it has checked the
-- permission and before it writes. The parts "each" are repeated with N replaced by each of the names.

-- include tried.lua

local reply = redis.pcall('HSET', KEYS[1], 'check', 'check', 'check')
tried('HSET', reply)

-- each HGET HMGET HDEL
reply = redis.pcall('N', KEYS[1], 'check')
tried('N', reply)
-- end

if ARGV[1] then
  return failures
end

reply = redis.pcall('PEXPIRE', KEYS[1], 1000)
tried('PEXPIRE', reply)

-- each HGETALL PTTL DEL
reply = redis.pcall('N', KEYS[1])
tried('N', reply)
-- end

return failures
