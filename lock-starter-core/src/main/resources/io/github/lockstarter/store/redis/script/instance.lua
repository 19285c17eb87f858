-- Returns the description of an instance.
--
-- KEYS[1]  the description, see register.lua
-- ARGV     names of four fields
--
-- Returns the values of the fields, in this order; nil if there is no description.

local values = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
return values
