-- Releases the lock: grants it to the first acquisition in the waiting line or to the next waiter of the same instance, or
-- frees it. An acquisition that does not own the lock but is in the line leaves it. In shared use, it grants the lock to all
-- at the beginning of the line that fit.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition that releases the lock or leaves the line; ~k and the id of one that has ended in a minimum hold
--          ends that hold
-- ARGV[2]  the next token is larger than this one, which may have been used under that id; 0 or absent: than the stored one
-- ARGV[3]  0: this server may not know all subscribers (a cluster, the application's connection); 1 or absent: it does
-- ARGV[4]  id of the next waiter of this instance; absent: there is none
-- ARGV[5]  lease of that waiter in milliseconds
-- ARGV[6]  as ARGV[3] of acquire.lua, for that waiter
--
-- Returns the fencing token (larger than 3) if the next waiter of this instance owns the lock now; the negated token of the
-- owner (less than -3) if the lock was released and that waiter is in the line; 1: released; 3: left the line; 0: the lock
-- is free; -1: another acquisition owns the lock, or the key is not a lock. A lock that is kept for a minimum hold (keep.lua)
-- is not owned by the acquisition that kept it.
--
-- The message about a grant is the key, followed by <id>:<token>. It is published after all writes: on a replica, or with too
-- few replicas, Redis rejects writes but not PUBLISH, and the message would report a grant that never happened. A grant that
-- is reported is never taken back: Redis passes messages on to replicas, and a subscriber there, which PUBLISH does not
-- count, would believe in it. So subscribers are counted before, unless the waiter has polled within its interval: then its
-- instance is alive, and finds the grant by its next poll, even if its subscription is gone. Without the permission for that
-- (+pubsub|numsub), a grant to an instance that is gone lasts until it was to be claimed.
--
-- Atomic, because a late release must not free the lock of the next owner, and an acquisition that leaves the line must not
-- be granted the lock at the same time. Ids are never reused: a repetition finds nothing under its own id and changes
-- nothing, and a next waiter that owns the lock or is in the line proves the first execution. It works on a full Redis,
-- which always accepts HDEL, and does not reject the writes of a script after its first one.

-- With a marker of lock.lua as its id, a release would end the grants of all readers, or of all holders of permits.
if #ARGV[1] == 2 and (ARGV[1] == '~r' or ARGV[1] == '~s') then
  return redis.error_reply('ERR the id is a marker of shared use, and that of no acquisition')
end

-- Most locks are released by their owner while nothing waits for them. Two fields decide that.
local fields = redis.pcall('HMGET', KEYS[1], 'o', 'q')
if fields[1] == ARGV[1] and not (fields[2] or ARGV[4]) then
  redis.call('DEL', KEYS[1])
  return 1
end

-- include entry.lua

-- The owner grants the lock to the first in line, and the next waiter of this instance joins it. The line has no empty places, no
-- deadline has ended, both acquire the lock alone, and the waiter has not ended in a minimum hold. Everything else is left to the
-- general case below.
local first, last, count, due = string.match(fields[1] == ARGV[1] and fields[2] or '', '^(%d+):(%d+):(%d+):(%d+)$')
if first then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local successor = ARGV[4] or ''
  local token, id, queued = unpack(redis.call('HMGET', KEYS[1], 'f', 'e:' .. first, 'w:' .. successor))
  local wait = redis.call('HGET', KEYS[1], 'w:' .. (id or '')) or ''
  local place, deadline, claim, inbox = string.match(wait, '^(%d+):(%d+):(%d+):(.*)$')
  local channel = inbox and inbox ~= '' and string.match(KEYS[1], '^(.-):{') .. ':inbox:' .. inbox
  if place == first and now < math.min(due, deadline) and last - first == count - 1 and not queued
    and not string.find(id .. successor, '.', 1, true) and ARGV[1] ~= '~k' .. successor
    and (not channel or ARGV[3] == '0' or deadline - now >= tonumber(claim)
      or redis.pcall('PUBSUB', 'NUMSUB', channel)[2] ~= 0) then
    token = math.max(time[1] * 1000000 + time[2], (tonumber(token) or 0) + 1, (ARGV[2] or 0) + 1)
    local set = {'o', id, 'f', string.format('%.0f', token)}
    if successor ~= '' then
      local entry, ends = entryAt(last + 1, math.min(last + 1 - first, count), ARGV[6], 0, now, due)
      last, count, due = last + 1, count + 1, math.min(due, ends)
      set[5], set[6], set[7], set[8] = 'e:' .. last, successor, 'w:' .. successor, entry
    end
    count = count - 1
    if count > 0 then
      set[#set + 1] = 'q'
      set[#set + 1] = table.concat({first + 1, last, count, due}, ':')
    end
    -- A full Redis accepts HDEL, and does not refuse what follows it; the empty name is the field of no lock.
    redis.call('HDEL', KEYS[1], 'e:' .. first, 'w:' .. id, count > 0 and '' or 'q')
    redis.call('HSET', KEYS[1], unpack(set))
    redis.call('PEXPIRE', KEYS[1], claim)
    if channel then
      redis.pcall('PUBLISH', channel, KEYS[1] .. id .. ':' .. set[4])
    end
    return successor ~= '' and -token or 1
  end
end

-- include held.lua
-- include lock.lua

local id, successor, lease = ARGV[1], ARGV[4] or '', tonumber(ARGV[5])

read(successor)

-- An acquisition that has ended must not join the line, because a grant to it would never be claimed.
successor = successor ~= '' and hasEnded(successor) and '' or successor

local isOwner = lock.owner == id or holderOf(id)
if isOwner then
  endGrant(id, tonumber(ARGV[2] or 0))
end

-- Granted by the first execution, from the line since then, or by an acquire that overtook this release: its lease counts from
-- this reply, and it must not join the line.
local holder = successor ~= '' and holderOf(successor)
if holder then
  holder.deadline = math.max(holder.deadline, lock.millis + lease)
  setHolder(successor, holder)
  finish('', 0, ARGV[3])
  return holder.token
end

if not isOwner then
  if lock.owner == successor then
    lock.ends, lock.onlyLater = lock.millis + lease, true
    write(redis.call, false)
    return lock.token
  end
  if successor ~= '' and entryOf(successor) then
    return -lock.token
  end
  local entry = entryOf(id)
  if not entry or get('e:' .. entry.place) ~= id then
    return (lock.owner or lock.used > 0) and -1 or 0
  end
  remove(id, entry.place)
  -- Those behind it may fit.
  finish('', 0, ARGV[3])
  return 3
end

if successor ~= '' then
  join(successor, ARGV[6])
end
return finish(successor, lease, ARGV[3]) or (successor ~= '' and -lock.token or 1)
