-- Executes the commands of messages.lua, as check.lua does those of the other scripts. It is a text of its own, because a server may
-- refuse every text that contains these commands. It also publishes a message that follows no grant, about a forced release.
--
-- KEYS[1]  a key, which servers require: of no lock, or the lock of the message. It is not accessed
-- ARGV[1]  a channel
-- ARGV[2]  the message that is published to it
--
-- Returns a list: the number of subscribers of the channel that the server counts, and what check.lua returns.

-- include tried.lua

local reply = redis.pcall('PUBLISH', ARGV[1], ARGV[2])
tried('PUBLISH', reply)
reply = redis.pcall('PUBSUB', 'NUMSUB', ARGV[1])
tried('PUBSUB', reply)

return {reply[2] or 0, failures}
