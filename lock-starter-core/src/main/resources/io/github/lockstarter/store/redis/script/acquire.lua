-- Grants the lock if it is free or the acquisition fits beside its holders, and repeats the grant to its owner; otherwise
-- joins the waiting line if requested, or polls in it.
--
-- KEYS[1]  the lock, see lock.lua
-- ARGV[1]  id of the acquisition; its end states whether it acquires the lock, the lock for reading, or permits
-- ARGV[2]  the key of the lock once more, as the text that messages contain
-- ARGV[3]  lease in milliseconds
-- ARGV[4]  the end of its entry in the line: the milliseconds in which it must claim a grant from the line, which are twice its
--          shortest poll interval; a colon if the server has counted the inbox of its instance, or else a dot; and that inbox,
--          which is notified of such a grant. Without an inbox, the instance only polls. Absent: it does not join
--
-- Returns a text, because a client reads one value with less effort than a list: the fencing token (positive) if the
-- acquisition owns or shares the lock. Otherwise, separated by spaces: the remaining milliseconds of the holder's lease,
-- negated (-2^52 if its key does not expire); the largest fencing token so far; the milliseconds after which the acquisition
-- is to poll, 0 if it is not in the line; the sum of the weights of the holders, 0 if the lock has one owner; and the id of the
-- owner, of several holders of one of them. Of several holders, the first one whose lease may end counts. Returns an error if
-- the key is not a lock, one that begins with LOCKKIND if a lock is in use for permits or the other way round, and one that
-- begins with LOCKLIMIT if it has too many holders.
--
-- Atomic, because the check that the lock is free and the grant must be one step. Repeated with the same id, it sets the
-- full lease again unless more is left, and returns the same token: the owner counts its lease from the attempt that was
-- answered, and a grant from the line has only set the short time in which it must be claimed. A full Redis rejects the
-- script at HSET, its first write, before anything has changed. Joining the line uses pcall, because an acquisition that
-- cannot join polls, unless the server is not the master. A poll always writes: an entry in the line is the proof, for a
-- message that follows, that the lock had another owner and that a master said so. The id of a kept lock, or of a writer that
-- has become a reader, does not join: its acquisition has ended, so that a grant to it would never be claimed.
--
-- In shared use it also grants the lock along the line, and notifies those waiters: a holder or a waiter that has crashed
-- delays the others until its time is over, however long other holders stay. Nothing is granted past the first in line.

-- include id.lua

local id, lease = ARGV[1], ARGV[3]

-- Ids of exclusive acquisitions contain no dot.
local isExclusive = not string.find(id, '.', 1, true)

-- include left.lua

if isExclusive and left == -2 then
  -- include now.lua
  local seconds, micros = time[1], time[2]
  -- Most microseconds have six digits, with which zeros are not needed; joining two texts takes half the time of writing a
  -- number, which tostring() would round.
  local token = #micros == 6 and seconds .. micros or string.format('%.0f', seconds * 1000000 + micros)
  redis.call('HSET', KEYS[1], 'o', id, 'f', token)
  local expires = redis.pcall('PEXPIRE', KEYS[1], lease)
  if type(expires) == 'table' then
    -- Without the permission for PEXPIRE, the lock would never expire.
    redis.pcall('DEL', KEYS[1])
    redis.pcall('HDEL', KEYS[1], 'o', 'f')
    return expires
  end
  return token
end

local held = redis.call('HMGET', KEYS[1], 'o', 'f', 'q', 's', 'w:' .. id)
local owner, token, line, wait = held[1], held[2], held[3], held[5]
local name, waiting = ARGV[2], ARGV[4]

if isExclusive and owner == id and token then
  if left < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
  return token
end

-- Of a free lock, the last token may be kept for a time, see no_time_free.lua.
if left ~= -2 and not (owner or left >= 0 and tonumber(token)) then
  return redis.error_reply('WRONGTYPE the key holds a hash that is not a lock')
end

-- include entry.lua

local function refusal(millis, largest, interval, used, holder)
  return string.format('%.0f %.0f %.0f %.0f %s', millis < 0 and -2^52 or -math.max(millis, 1), largest, interval, used, holder)
end

-- A waiter joins the line or polls in it while the lock has one owner, which has not ended in a minimum hold, and no deadline has
-- ended. A failure is left to the general case below.
if waiting and owner and tonumber(token) and string.sub(owner, 1, 1) ~= '~' and (wait or isExclusive) then
  -- include now.lua
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local first, last, count, due = string.match(line or '1:0:0:9999999999999', '^(%d+):(%d+):(%d+):(%d+)$')
  local place, deadline = string.match(wait or '', '^(%d+):(%d+):')
  due = tonumber(due)
  -- lock.lua limits the number of places.
  if first and last - first < math.min(2 * count + 1000, 49999) and now < due and (place or not wait) then
    if not place then
      place, deadline, count = last + 1, 0, count + 1
    end
    local entry, ends, interval =
      entryAt(place, math.min(place - first, count - 1), waiting, tonumber(deadline), now, due)
    local written
    if wait then
      -- A full Redis accepts HDEL, and does not refuse what follows it; the empty name is the field of no lock.
      written = redis.pcall('HDEL', KEYS[1], '')
      if type(written) == 'number' then
        written = redis.pcall('HSET', KEYS[1], 'w:' .. id, entry)
      end
    else
      local longer = table.concat({first, place, count, math.min(due, ends)}, ':')
      written = redis.pcall('HSET', KEYS[1], 'q', longer, 'e:' .. place, id, 'w:' .. id, entry)
    end
    if type(written) == 'number' then
      return refusal(left, token, interval, 0, owner)
    end
  end
end

-- include messages.lua
-- include lock.lua

local kind = kindOf(id)
lease = tonumber(lease)

read(id)

if (lock.owner or lock.marker == '~r') and kind == '~s' then
  return redis.error_reply('LOCKKIND the lock is in use as a lock, and cannot be used for permits')
end
if lock.marker == '~s' and kind ~= '~s' then
  return redis.error_reply('LOCKKIND the lock is in use for permits, and cannot be used as a lock')
end

local granted, granting = grantLine(id, lease, false)
-- A full Redis refuses new grants and entries, before anything has changed, and nothing else.
local interval, isRefusable = 0, false

local holder = not granting and holderOf(id)
if holder then
  granting = holder.token
  holder.deadline = math.max(holder.deadline, lock.millis + lease)
  setHolder(id, holder)
end

if not granting and not hasEnded(id) then
  if lock.count == 0 and fits(id) then
    granting = grant(id, lease)
    isRefusable = #granted == 0
  elseif kind and lock.holders >= MOST_HOLDERS then
    return redis.error_reply('LOCKLIMIT the lock has ' .. lock.holders .. ' holders, which is the limit')
  elseif waiting then
    isRefusable = #granted == 0 and not get('w:' .. id)
    interval = join(id, waiting)
  end
end

if not granting and lock.marker and lock.named == '' then
  countHolders()
end

local failure = write(isRefusable)
if failure then
  -- A replica's data about the holder is outdated and may never change.
  if granting or #granted > 0 or string.find(failure.err, 'READONLY', 1, true) then
    return failure
  end
  interval = 0
else
  notifyAll(granted)
end

if granting then
  return text(granting)
end

if lock.marker then
  return refusal(math.max(lock.soonest - lock.millis, 0), lock.token, interval, lock.used, lock.named)
end
if left < 0 or #granted > 0 then
  left = redis.call('PTTL', KEYS[1])
end
return refusal(left, lock.token, interval, lock.used, lock.owner or '')
