-- Returns the description of an instance.
--
-- KEYS[1]  the description, see register.lua
-- ARGV     names of fields
--
-- Returns the values of the fields, in this order; nil if there is no description.

return redis.call('HMGET', KEYS[1], unpack(ARGV))
