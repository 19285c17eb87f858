-- Renews leases, each independently of the others; or writes locks again whose grant or renewal replicas are to acknowledge:
-- the WAIT that follows on the same connection returns when the replicas have these writes, and so all earlier ones.
--
-- In shared use, the acquisition must be a holder.
--
-- KEYS[N]  the locks, see lock.lua: as many as the text is generated for, which repeats its parts "each key" for each number N
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own the locks, in the order of the keys, separated by ;
-- ARGV[3]  present: writes each key that its acquisition owns, even if that changes nothing, because a write that is skipped is
--          not replicated
--
-- Returns the failures only, as a flat list: the position of the key, counted from 1, then 0 if the lock is free, -1 if
-- another acquisition owns it or the key is not a lock, or the text of the error for this key.
--
-- Atomic, because the owner must be compared and the lease extended in one step, or a late renewal would extend the lease
-- of the next owner. It never creates a key and never shortens a lease: the lease of a nested hold may be longer. One script for
-- many locks saves commands; each command uses pcall, so that a key of another type affects only its own lock. It works on a
-- full Redis, which always accepts PEXPIRE.
--
-- The ids are one argument and compared as one text: an argument and a reply for each lock would make the renewal a quarter
-- slower. No id contains a ; so equal texts are equal ids.

-- The markers of lock.lua are no ids, and would renew locks in shared use as if they had one owner.
if string.find(ARGV[2], '~', 1, true) then
  return redis.error_reply('ERR an id contains ~, and is that of no acquisition')
end

-- REDIS_VERSION_NUM exists from Redis 7.0 on, as does GT, which saves one command for each lock.
local lease, always = tonumber(ARGV[1]), ARGV[3]
local greater = redis.REDIS_VERSION_NUM and not always

local failures = {}

local function failed(position, reason)
  failures[#failures + 1] = position
  failures[#failures + 1] = reason
end

-- Notes what PEXPIRE has replied unless it has renewed the lease.
local function replied(position, reply)
  if type(reply) == 'table' then
    failed(position, reply.err)
  elseif always and reply == 0 then
    failed(position, 0)
  end
end

-- Returns the field of a holder with the renewed lease, and its milliseconds; nil if it is not to be renewed, and notes the reason: 0 if
-- there is no such holder, or the text of an error. A holder whose lease has expired is not revived.
local function renewed(position, field, time)
  if type(field) == 'table' or time.err then
    failed(position, time.err or field.err)
    return nil
  end
  local deadline, rest = string.match(field or '', '^(%d+)(:.*)$')
  local millis = time[1] * 1000 + math.floor(time[2] / 1000)
  deadline = tonumber(deadline) or 0
  if deadline <= millis then
    failed(position, 0)
    return nil
  end
  local wanted = math.max(deadline, millis + lease)
  if not always and wanted == deadline then
    return nil
  end
  return string.format('%.0f', wanted) .. rest, wanted - millis
end

local function notOwned(position, owner)
  if not owner then
    failed(position, 0)
  elseif type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
    failed(position, owner.err)
  else
    failed(position, -1)
  end
end

local owners = {}
local reply, field, left

-- each key
reply = redis.pcall('HGET', KEYS[N], 'o')
owners[N] = reply
-- end

-- Fails if an owner is not a string: the lock is free, or there was an error.
local joined, text = pcall(table.concat, owners, ';')
local ids = owners
if not joined or text ~= ARGV[2] then
  ids = {}
  for id in string.gmatch(ARGV[2], '[^;]+') do
    ids[#ids + 1] = id
  end
end

-- each key
if owners[N] ~= ids[N] then
  if owners[N] == '~r' or owners[N] == '~s' then
    reply = redis.pcall('HGET', KEYS[N], 'h:' .. ids[N])
    -- include now.lua
    field, left = renewed(N, reply, time)
    if field then
      reply = redis.call('PTTL', KEYS[N])
      left = math.max(reply, left)
      -- A full Redis accepts HSET only after PEXPIRE; and HSET creates the key without an expiry if PEXPIRE has deleted it, see
      -- write() in lock.lua.
      reply = redis.pcall('PEXPIRE', KEYS[N], left)
      if type(reply) == 'number' then
        reply = redis.pcall('HSET', KEYS[N], 'h:' .. ids[N], field)
      end
      if type(reply) == 'number' then
        reply = redis.pcall('PEXPIRE', KEYS[N], left)
      end
      replied(N, reply)
    end
  else
    notOwned(N, owners[N])
  end
elseif greater then
  reply = redis.pcall('PEXPIRE', KEYS[N], ARGV[1], 'GT')
  if reply ~= 1 then
    replied(N, reply)
  end
else
  reply = redis.pcall('PTTL', KEYS[N])
  if type(reply) == 'number' and (always or reply >= 0 and reply < lease) then
    reply = redis.pcall('PEXPIRE', KEYS[N], math.max(reply, lease))
  end
  replied(N, reply)
end
-- end

return failures
