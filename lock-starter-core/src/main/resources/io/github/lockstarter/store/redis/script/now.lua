-- The time of the server: `time` has seconds and microseconds. Where a server refuses TIME in scripts, no_time_now.lua replaces this text.
local time = redis.call('TIME')
