-- Releases the lock: grants it to the first in the waiting line or to the next waiter of the same instance, or frees it. An
-- acquisition that does not own the lock but stands in the line leaves it.
--
-- KEYS[1]  the lock, see acquire.lua; an entry of the line is ;<id>:<instance>:<milliseconds to claim a grant>
-- ARGV[1]  id of the acquisition that releases or leaves
-- ARGV[2]  last fencing token used under that id; 0: the one stored
-- ARGV[3]  what stands before an instance in the name of its inbox
-- ARGV[4]  1: the number of receivers that PUBLISH returns is the truth; 0: it is not (a cluster, a foreign connection)
-- ARGV[5]  id under which the next waiter of this instance asks; absent: there is none
-- ARGV[6]  its lease in milliseconds
-- ARGV[7]  as ARGV[3] of acquire.lua, for the next waiter
-- ARGV[8]  as ARGV[4] of acquire.lua, for the next waiter
--
-- Returns the fencing token (large) if the next waiter of this instance owns the lock now, 1 released, 2 released, and
-- the next waiter stands in the line, 3 left the line, 0 the lock is free, -1 another acquisition owns it or the key
-- holds something else.
--
-- A lock that is kept for a minimum hold (keep.lua) is not owned by the acquisition that kept it.
--
-- One step, or a late release would free the successor's lock, and one that left the line could be granted the lock in
-- the same moment. Ids are never used twice: replayed, it finds nothing of its own and changes nothing, and a
-- next waiter that owns the lock or stands in the line proves that it was done. It works on a full Redis: a script that
-- has written, and PEXPIRE and HDEL always may, is not refused afterwards.

local held = redis.pcall('HMGET', KEYS[1], 'o', 'f', 'q')

if held.err then
  if string.sub(held.err, 1, 9) == 'WRONGTYPE' then
    return -1
  end
  return held
end

local owner = held[1]

if owner == ARGV[1] and not held[3] and not ARGV[5] then
  redis.call('DEL', KEYS[1])
  return 1
end

local line = held[3] or ''
local successor = ARGV[5] or ''

local function find(id)
  return string.find(line, ';' .. id .. ':', 1, true)
end

if owner ~= ARGV[1] then
  if not owner then
    return 0
  end
  if successor ~= '' then
    if owner == successor then
      -- Granted by the first execution, or from the line since: it counts its lease from this answer.
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[6]) then
        redis.call('PEXPIRE', KEYS[1], ARGV[6])
      end
      return tonumber(held[2])
    end
    if find(successor) then
      return 2
    end
  end
  local from = find(ARGV[1])
  if not from then
    return -1
  end
  local to = string.find(line, ';', from + 1, true) or #line + 1
  line = string.sub(line, 1, from - 1) .. string.sub(line, to)
  redis.call('HDEL', KEYS[1], 'q')
  if line ~= '' then
    redis.call('HSET', KEYS[1], 'q', line)
  end
  return 3
end

local function grant(id, lease)
  local time = redis.call('TIME')
  local token = math.max(time[1] * 1000000 + time[2], held[2] + 1, ARGV[2] + 1)
  local fields = {'o', id, 'f', string.format('%.0f', token)}
  if line ~= '' then
    fields[5] = 'q'
    fields[6] = line
  end
  if type(redis.pcall('HSET', KEYS[1], unpack(fields))) == 'table' then
    -- A full Redis refuses HSET as the first write of a script, but not after PEXPIRE.
    redis.call('PEXPIRE', KEYS[1], lease)
    redis.call('HSET', KEYS[1], unpack(fields))
  end
  if line == '' and held[3] then
    redis.call('HDEL', KEYS[1], 'q')
  end
  -- Last: up to Redis 7.0, PEXPIRE reads the clock twice and deletes the key if the lease has passed in between. A write
  -- after that would create the key again, without an end.
  redis.call('PEXPIRE', KEYS[1], lease)
  return token
end

-- It may have asked by itself meanwhile: this release is late, or is executed again.
local queued = successor ~= '' and find(successor)

while line ~= '' do
  local id, instance, claim, rest = string.match(line, '^;([^:]*):([^:]*):([1-9]%d*)(.*)$')
  if not id or #claim > 12 then
    -- Somebody wrote into the field by hand; whoever stood there looks again by itself.
    line = ''
    break
  end
  line = rest
  if id == successor then
    break
  end
  -- Under pcall: a user who may not publish has still released, and the waiter polls.
  local receivers = instance ~= '' and redis.pcall('PUBLISH', ARGV[3] .. instance, KEYS[1])
  -- An inbox that nobody reads belongs to an instance that is gone.
  if not (receivers == 0 and ARGV[4] == '1') then
    if successor ~= '' and not queued then
      line = line .. ';' .. successor .. ':' .. ARGV[8] .. ':' .. ARGV[7]
    end
    grant(id, claim)
    return successor ~= '' and 2 or 1
  end
end

if successor ~= '' then
  return grant(successor, ARGV[6])
end

redis.call('DEL', KEYS[1])
return 1
