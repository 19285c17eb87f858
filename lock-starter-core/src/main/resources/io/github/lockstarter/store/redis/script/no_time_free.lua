-- Replaces free.lua where a server refuses TIME in scripts: the key stays with the last token alone, until the clock of milliseconds is past
-- that token, which is at most two milliseconds. For all scripts, a key without an owner is a free lock. A token is not ahead of the clock
-- unless that was set back, and then the key stays for longer. A full Redis does not refuse what follows DEL.
local stored = redis.call('HGET', KEYS[1], 'f')
-- Of release.lua, the only script that frees a lock.
local last = math.max(tonumber(stored) or 0, tonumber(ARGV[3]) or 0)
-- include now.lua
redis.call('DEL', KEYS[1])
local stays = time.err and 2 or math.floor(last / 1000 + 1 - time[1] * 1000 - time[2] / 1000)
if stays > 0 then
  redis.call('HSET', KEYS[1], 'f', string.format('%.0f', last))
  local expires = redis.pcall('PEXPIRE', KEYS[1], stays)
  if type(expires) == 'table' then
    redis.pcall('DEL', KEYS[1])
  end
end
