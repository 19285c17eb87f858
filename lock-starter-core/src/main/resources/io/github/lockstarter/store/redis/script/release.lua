-- Releases the lock: grants it to the first acquisition in the waiting line or to the next waiter of the same instance, or
-- frees it. An acquisition that does not own the lock but is in the line leaves it. In shared use, it grants the lock to all
-- at the beginning of the line that fit.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition that releases the lock or leaves the line; ~k and the id of one that has ended in a minimum hold
--          ends that hold
-- ARGV[2]  the key of the lock once more, as the text that messages contain
-- ARGV[3]  the next token is larger than this one, which may have been used under that id; 0 or absent: than the stored one
-- ARGV[4]  id of the next waiter of this instance; absent: there is none
-- ARGV[5]  lease of that waiter in milliseconds
-- ARGV[6]  as ARGV[4] of acquire.lua, for that waiter
--
-- Returns the fencing token (larger than 3) if the next waiter of this instance owns the lock now; the negated token of the
-- owner (less than -3) if the lock was released and that waiter is in the line; 1: released; 3: left the line; 0: the lock
-- is free; -1: another acquisition owns the lock, or the key is not a lock. A lock that is kept for a minimum hold (keep.lua)
-- is not owned by the acquisition that kept it.
--
-- The message about a grant is the key, followed by <id>:<token>. It is published after all writes: on a replica, or with too
-- few replicas, Redis rejects writes but not PUBLISH, and the message would report a grant that never happened. A grant that
-- is reported is never taken back: Redis passes messages on to replicas, and a subscriber there, which PUBLISH does not
-- count, would believe in it. So subscribers are counted before, if this server has counted the inbox earlier; unless the waiter
-- has polled within its interval: then its instance is alive, and finds the grant by its next poll, even if its subscription is
-- gone. Without the permission for that (+pubsub|numsub), a grant to an instance that is gone lasts until it was to be claimed.
--
-- Atomic, because a late release must not free the lock of the next owner, and an acquisition that leaves the line must not
-- be granted the lock at the same time. Ids are never reused: a repetition finds nothing under its own id and changes
-- nothing, and a next waiter that owns the lock or is in the line proves the first execution. It works on a full Redis,
-- which always accepts HDEL, and does not reject the writes of a script after its first one.

local id, successor = ARGV[1], ARGV[4]

-- With a marker of lock.lua as its id, a release would end the grants of all readers, or of all holders of permits.
if #id == 2 and (id == '~r' or id == '~s') then
  return redis.error_reply('ERR the id is a marker of shared use, and that of no acquisition')
end

-- Most locks are released by their owner while nothing waits for them. Two fields decide that.
local fields = redis.pcall('HMGET', KEYS[1], 'o', 'q')
local isOwner, line = fields[1] == id, fields[2]
if isOwner and not (line or successor) then
  -- include free.lua
  return 1
end

local name, lastToken, lease, waiting = ARGV[2], ARGV[3] or 0, ARGV[5], ARGV[6]
successor = successor or ''

-- include entry.lua
-- include messages.lua

-- The owner grants the lock to the first in line, and the next waiter of this instance joins it. The line has no empty places, no
-- deadline has ended, both acquire the lock alone, and the waiter has not ended in a minimum hold. Everything else is left to the
-- general case below.
local first, last, count, due = string.match(isOwner and line or '', '^(%d+):(%d+):(%d+):(%d+)$')
if first then
  -- include now.lua
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  fields = redis.call('HMGET', KEYS[1], 'f', 'e:' .. first, 'w:' .. successor)
  local token, head, isInLine = tonumber(fields[1]) or 0, fields[2] or '', fields[3]
  local wait = redis.call('HGET', KEYS[1], 'w:' .. head)
  local place, deadline, claim, isCounted, inbox = string.match(wait or '', '^(%d+):(%d+):(%d+)([:.])(.*)$')
  due, deadline = tonumber(due), tonumber(deadline)
  if place == first and now < math.min(due, deadline) and last - first == count - 1 and not isInLine
    and not string.find(head .. successor, '.', 1, true) and id ~= '~k' .. successor
    and (inbox == '' or isCounted == '.' or deadline - now >= tonumber(claim) or not hasNoReceiver(name, inbox)) then
    token = math.max(time[1] * 1000000 + time[2], token + 1, lastToken + 1)
    local entry
    if successor ~= '' then
      local ends
      entry, ends = entryAt(last + 1, last + 1 - first, waiting, 0, now, due)
      last, count, due = last + 1, count + 1, math.min(due, ends)
    end
    count = count - 1
    local text = string.format('%.0f', token)
    local shorter = count > 0 and table.concat({first + 1, last, count, due}, ':')
    -- A full Redis accepts HDEL, and does not refuse what follows it; the empty name is the field of no lock.
    redis.call('HDEL', KEYS[1], 'e:' .. first, 'w:' .. head, shorter and '' or 'q')
    if entry then
      redis.call('HSET', KEYS[1], 'o', head, 'f', text, 'q', shorter, 'e:' .. last, successor, 'w:' .. successor, entry)
    elseif shorter then
      redis.call('HSET', KEYS[1], 'o', head, 'f', text, 'q', shorter)
    else
      redis.call('HSET', KEYS[1], 'o', head, 'f', text)
    end
    redis.call('PEXPIRE', KEYS[1], claim)
    notify(name, inbox, head, text)
    return successor ~= '' and -token or 1
  end
end

-- include held.lua
-- include lock.lua

lastToken, lease = tonumber(lastToken), tonumber(lease or 0)

read(successor)

-- An acquisition that has ended must not join the line, because a grant to it would never be claimed.
successor = successor ~= '' and hasEnded(successor) and '' or successor

isOwner = lock.owner == id or holderOf(id)
if isOwner then
  endGrant(id, lastToken)
end

-- Granted by the first execution, from the line since then, or by an acquire that overtook this release: its lease counts from
-- this reply, and it must not join the line.
local holder = successor ~= '' and holderOf(successor)
if holder then
  holder.deadline = math.max(holder.deadline, lock.millis + lease)
  setHolder(successor, holder)
  local _, failure = finish('', 0)
  return failure or holder.token
end

if not isOwner then
  if lock.owner == successor then
    lock.ends, lock.onlyLater = lock.millis + lease, true
    return write(false) or lock.token
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
  local _, failure = finish('', 0)
  return failure or 3
end

if successor ~= '' then
  join(successor, waiting)
end
local own, failure = finish(successor, lease)
return failure or own or (successor ~= '' and -lock.token or 1)
