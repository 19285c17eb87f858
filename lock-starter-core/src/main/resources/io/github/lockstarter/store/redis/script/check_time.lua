-- Executes the commands that show the time of the server, as check.lua does those of all scripts: one of them is enough. A server that
-- refuses TIME in scripts gets the texts that begin with no_time.
--
-- KEYS[1]  a key that no lock has
--
-- Returns what check.lua returns.

-- include tried.lua

local reply = redis.pcall('TIME')
tried('TIME', reply)
if reply.err then
  -- A user without the permission would get an entry in the ACL LOG.
  reply = redis.pcall('PEXPIRETIME', KEYS[1])
  tried('PEXPIRETIME', reply)
end

return failures
