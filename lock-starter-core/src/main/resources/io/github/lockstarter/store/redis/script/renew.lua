-- Renews leases, each independently of the others; or writes locks again whose grant or renewal replicas are to acknowledge:
-- the WAIT that follows on the same connection returns when the replicas have these writes, and so all earlier ones.
--
-- In shared use, the acquisition must be a holder.
--
-- KEYS[i]  the locks, see lock.lua
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
local lease, always, greater = tonumber(ARGV[1]), ARGV[3], redis.REDIS_VERSION_NUM and not ARGV[3]

local function renewOwner(key)
  local set = nil
  if greater then
    set = redis.pcall('PEXPIRE', key, ARGV[1], 'GT')
  else
    set = redis.pcall('PTTL', key)
    if type(set) == 'number' and (always or set >= 0 and set < lease) then
      set = redis.pcall('PEXPIRE', key, math.max(set, lease))
    end
  end
  if type(set) == 'table' then
    return set.err
  end
  return always and set == 0 and 0 or nil
end

-- Returns nil, or why the lease of the holder was not renewed: 0 if there is no such holder, or the text of an error. A holder
-- whose lease has expired is not revived.
local function renewHolder(key, id)
  local value = redis.pcall('HGET', key, 'h:' .. id)
  if type(value) == 'table' then
    return value.err
  end
  local deadline, rest = string.match(value or '', '^(%d+)(:.*)$')
  local time = redis.call('TIME')
  local millis = time[1] * 1000 + math.floor(time[2] / 1000)
  if not deadline or tonumber(deadline) <= millis then
    return 0
  end
  local wanted = math.max(tonumber(deadline), millis + lease)
  if always or wanted > tonumber(deadline) then
    local expiry = {'PEXPIRE', key, math.max(redis.call('PTTL', key), wanted - millis)}
    -- A full Redis accepts HSET only after PEXPIRE; and HSET creates the key without an expiry if PEXPIRE has deleted it, see
    -- write() in lock.lua.
    for _, command in ipairs({expiry, {'HSET', key, 'h:' .. id, string.format('%.0f', wanted) .. rest}, expiry}) do
      local set = redis.pcall(unpack(command))
      if type(set) == 'table' then
        return set.err
      end
    end
  end
  return nil
end

local function reason(owner)
  if not owner then
    return 0
  end
  if type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
    return owner.err
  end
  return -1
end

local owners = {}
for i, key in ipairs(KEYS) do
  owners[i] = redis.pcall('HGET', key, 'o')
end
-- Fails if an owner is not a string: the lock is free, or there was an error.
local joined, text = pcall(table.concat, owners, ';')
local ids = nil
if not joined or text ~= ARGV[2] then
  ids = {}
  for id in string.gmatch(ARGV[2], '[^;]+') do
    ids[#ids + 1] = id
  end
end

local failures = {}
for i, key in ipairs(KEYS) do
  local failure
  if not ids or owners[i] == ids[i] then
    failure = renewOwner(key)
  elseif owners[i] == '~r' or owners[i] == '~s' then
    failure = renewHolder(key, ids[i])
  else
    failure = reason(owners[i])
  end
  if failure then
    failures[#failures + 1] = i
    failures[#failures + 1] = failure
  end
end

return failures
