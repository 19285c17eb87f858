-- Releases the lock: grants it to the first acquisition in the waiting line or to the next waiter of the same instance, or
-- frees it. An acquisition that does not own the lock but is in the line leaves it. In shared use, it grants the lock to all
-- at the beginning of the line that fit.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition that releases the lock or leaves the line
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
-- count, would believe in it. So subscribers are counted before. Without the permission for that (+pubsub|numsub), a grant
-- to an instance that is gone lasts until it was to be claimed.
--
-- Atomic, because a late release must not free the lock of the next owner, and an acquisition that leaves the line must not
-- be granted the lock at the same time. Ids are never reused: a repetition finds nothing under its own id and changes
-- nothing, and a next waiter that owns the lock or is in the line proves the first execution. It works on a full Redis,
-- which always accepts HDEL, and does not reject the writes of a script after its first one.

-- Most locks are released by their owner while nothing waits for them. Two fields decide that.
local fields = not ARGV[4] and redis.pcall('HMGET', KEYS[1], 'o', 'q')
if fields and fields[1] == ARGV[1] and not fields[2] then
  redis.call('DEL', KEYS[1])
  return 1
end

-- include held.lua

-- include interval.lua
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
