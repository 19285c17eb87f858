-- Releases the lock: grants it to the first acquisition in the waiting line or to the next waiter of the same instance, or
-- frees it. An acquisition that does not own the lock but is in the line leaves it. In shared use, it grants the lock to all
-- at the beginning of the line that fit. shared.lua describes locks in shared use.
--
-- KEYS[1]  the lock, see acquire.lua; an entry of the line is ;<id>:<inbox>:<milliseconds to claim a grant>
-- ARGV[1]  id of the acquisition that releases the lock or leaves the line
-- ARGV[2]  last fencing token used under that id; 0: the stored one
-- ARGV[3]  prefix of the channels of inboxes
-- ARGV[4]  1: this server knows all subscribers; 0: it may not (a cluster, the application's connection)
-- ARGV[5]  id of the next waiter of this instance; absent: there is none
-- ARGV[6]  lease of that waiter in milliseconds
-- ARGV[7]  as ARGV[3] of acquire.lua, for that waiter
-- ARGV[8]  as ARGV[4] of acquire.lua, for that waiter
--
-- Returns the fencing token (larger than 3) if the next waiter of this instance owns the lock now; the negated token of the
-- owner (less than -3) if the lock was released and that waiter is in the line; 1: released; 3: left the line; 0: the lock
-- is free; -1: another acquisition owns the lock, or the key is not a lock. A lock that is kept for a minimum hold (keep.lua)
-- is not owned by the acquisition that kept it.
--
-- The message about a grant is the key, followed by <id>:<token> if the name of the inbox ends with +: an instance of an
-- earlier version understands the key alone. It is published after all writes. On a replica, or with too few replicas, Redis
-- rejects writes but not PUBLISH, and the message would report a grant that never happened. A grant that is reported with its
-- token is never taken back for want of subscribers: Redis passes messages on to replicas, and a subscriber there, which
-- PUBLISH does not count, would believe in it. So subscribers are counted before. Without the permission for that
-- (+pubsub|numsub), the message is the key alone, and PUBLISH counts them.
--
-- Atomic, because a late release must not free the lock of the next owner, and an acquisition that leaves the line must not
-- be granted the lock at the same time. Ids are never reused: a repetition finds nothing under its own id and changes
-- nothing, and a next waiter that owns the lock or is in the line proves the first execution. It works on a full Redis,
-- which always accepts PEXPIRE and HDEL, and does not reject the writes of a script after its first one.

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

-- include shared.lua

local line = held[3] or ''
local successor = ARGV[5] or ''

-- Ids of exclusive acquisitions contain no dot.
if isMarker(owner) or (owner == ARGV[1] and (kindOf(owner) or string.find(line, '.', 1, true))) then
  local lock = readShared(KEYS[1], redis.call('HGETALL', KEYS[1]))
  local id, countsAllReceivers = ARGV[1], ARGV[4] == '1'
  local isHolder = lock.owner == id or lock.holders[id] ~= nil
  if not isHolder then
    local holder = lock.holders[successor]
    if holder then
      -- Granted by the first execution, or from the line since then: its lease counts from this reply.
      holder.deadline = math.max(holder.deadline, lock.millis + ARGV[6])
      writeShared(lock, false)
      return holder.token
    end
    if positionOf(lock, successor) then
      return -lock.token
    end
    local position = positionOf(lock, id)
    if not position then
      return next(lock.holders) ~= nil and -1 or 0
    end
    table.remove(lock.line, position)
    -- Those behind it may fit.
    advance(lock, countsAllReceivers)
    return 3
  end
  endGrant(lock, id, tonumber(ARGV[2]))
  if successor == '' then
    advance(lock, countsAllReceivers)
    return 1
  end
  local position = positionOf(lock, successor)
  local entry = position and lock.line[position] or {id = successor, inbox = ARGV[8], claim = tonumber(ARGV[7])}
  entry.lease = tonumber(ARGV[6])
  lock.line[position or #lock.line + 1] = entry
  lock.waits[successor] = lock.millis + 1.5 * entry.claim
  advance(lock, countsAllReceivers)
  return entry.token or -lock.token
end

local function find(id)
  return string.find(line, ';' .. id .. ':', 1, true)
end

if owner ~= ARGV[1] then
  if not owner then
    return 0
  end
  if successor ~= '' then
    if owner == successor then
      -- Granted by the first execution, or from the line since then: its lease counts from this reply.
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[6]) then
        redis.call('PEXPIRE', KEYS[1], ARGV[6])
      end
      return tonumber(held[2])
    end
    if find(successor) then
      return -tonumber(held[2])
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

local time = redis.call('TIME')
local token = math.max(time[1] * 1000000 + time[2], held[2] + 1, ARGV[2] + 1)
local text = string.format('%.0f', token)

local function grant(id, lease)
  local fields = {'o', id, 'f', text}
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
  -- Must be the last write to the key: up to Redis 7.0, PEXPIRE reads the clock twice and deletes the key if the lease has expired in
  -- between. A later write would create the key again, without an expiry.
  redis.call('PEXPIRE', KEYS[1], lease)
end

-- The next waiter is in the line already if this release is late or executed again.
local queued = successor ~= '' and find(successor)

while line ~= '' do
  local id, inbox, claim, rest = string.match(line, '^;([^:]*):([^:]*):([1-9]%d*)(.*)$')
  if not id or #claim > 12 then
    -- The field was changed by hand; the waiters that were in the line find the lock by polling.
    line = ''
    break
  end
  line = rest
  if id == successor then
    break
  end
  local channel = inbox ~= '' and ARGV[3] .. inbox
  local isCounted = channel and ARGV[4] == '1'
  local subscribers = isCounted and redis.pcall('PUBSUB', 'NUMSUB', channel)[2]
  -- A channel without subscribers belongs to an instance that is gone: the lock is granted to the next one instead.
  if subscribers ~= 0 then
    local behind = rest
    if successor ~= '' and not queued then
      line = line .. ';' .. successor .. ':' .. ARGV[8] .. ':' .. ARGV[7]
    end
    grant(id, claim)
    local isBelieved = string.sub(inbox, -1) == '+' and (subscribers or not isCounted)
    local message = isBelieved and KEYS[1] .. id .. ':' .. text or KEYS[1]
    -- Uses pcall: without the permission to publish the lock is still released, and the waiter polls.
    local receivers = channel and redis.pcall('PUBLISH', channel, message)
    if subscribers or not (receivers == 0 and isCounted) then
      return successor ~= '' and -token or 1
    end
    line = behind
  end
end

if successor ~= '' then
  grant(successor, ARGV[6])
  return token
end

redis.call('DEL', KEYS[1])
return 1
