-- Reads the fields of a lock, see lock.lua. A key that is not a lock is owned by something else.

local held = redis.pcall('HMGET', KEYS[1], 'o', 'f', 'q', 's')

if held.err then
  return string.sub(held.err, 1, 9) == 'WRONGTYPE' and -1 or held
end

if not held[1] then
  return 0
end
