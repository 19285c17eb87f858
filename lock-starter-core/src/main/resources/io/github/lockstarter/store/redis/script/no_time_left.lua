-- Replaces left.lua where a server refuses TIME in scripts: the key of a free lock is created first, because only a key has a time, and the
-- general case of acquire.lua grants the lock. A lock is free also if its last token is kept, see no_time_free.lua. A full Redis refuses
-- HSET, before anything has changed. The lease is set at the end; the time until then only has to be longer than the script takes.
local left = redis.call('PTTL', KEYS[1])
local kept = redis.call('HMGET', KEYS[1], 'o', 'f')
if left == -2 or left >= 0 and tonumber(kept[2]) and not kept[1] then
  redis.call('HSET', KEYS[1], 'f', kept[2] or '0')
  local expires = redis.pcall('PEXPIRE', KEYS[1], 60000)
  if type(expires) == 'table' then
    redis.pcall('DEL', KEYS[1])
    return expires
  end
  left = 0
end
