-- Turns the exclusive owner of a lock into its reader, with the same fencing token, and grants the lock to the readers at
-- the beginning of the line.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition that owns the lock; the reader has the same id followed by .r
-- ARGV[2]  the key of the lock once more, as the text that messages contain
-- ARGV[3]  lease of the reader in milliseconds
-- ARGV[4]  last fencing token used under the id of the owner
--
-- Returns the fencing token of the reader if it shares the lock now, 0 if the lock is free, -1 if another acquisition owns it
-- or the key is not a lock.
--
-- Atomic, because no other acquisition may own the lock in between: the reader goes on with what the writer has seen. A
-- writer that was in the line before the downgrade stays in it; the reader itself leaves it. Executed again, it finds the
-- reader, and sets the full lease again unless more is left. It works on a full Redis, which always accepts PEXPIRE, and does
-- not reject the writes of a script after its first one.

-- include id.lua

local id, name, lease, lastToken = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

-- include held.lua
-- include entry.lua
-- include messages.lua
-- include lock.lua

read('')

local reader = id .. '.r'
local holder = holderOf(reader)

if lock.owner == id then
  local entry = entryOf(reader)
  if entry and get('e:' .. entry.place) == reader then
    remove(reader, entry.place)
  end
  lock.owner, lock.marker, lock.holders, lock.used = false, '~r', 1, 1
  lock.named, lock.soonest = reader, math.huge
  lock.token = math.max(lock.token, lastToken)
  -- The lease of the writer may be longer, and its client relies on it until the reply.
  local left = redis.call('PTTL', KEYS[1])
  holder = {deadline = lock.millis + left, token = lock.token, weight = 1}
elseif not holder then
  return (lock.owner or lock.used > 0) and -1 or 0
end

holder.deadline = math.max(holder.deadline, lock.millis + lease)
setHolder(reader, holder)
local _, failure = finish('', 0)
return failure or holder.token
