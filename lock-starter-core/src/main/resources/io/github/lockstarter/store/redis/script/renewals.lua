-- Functions of the scripts that renew leases of many locks, see lock.lua.

-- Renews the lease of a holder; with `always`, writes also what does not change. Returns nil, or why it was not renewed: 0
-- if there is no such holder, or the text of an error. A holder whose lease has expired is not revived.
local function renewHolder(key, id, lease, always)
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
    local ttl = math.max(redis.call('PTTL', key), wanted - millis)
    -- First, because a full Redis accepts HSET only after it.
    local set = redis.pcall('PEXPIRE', key, ttl)
    if type(set) ~= 'table' then
      set = redis.pcall('HSET', key, 'h:' .. id, string.format('%.0f', wanted) .. rest)
    end
    if type(set) ~= 'table' then
      -- HSET creates the key again without an expiry if PEXPIRE has deleted it, see write() in lock.lua.
      set = redis.pcall('PEXPIRE', key, ttl)
    end
    if type(set) == 'table' then
      return set.err
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

-- Renews the lease of each of KEYS, independently of the others; ids are the acquisitions that must own them, separated by ;.
-- Owned locks are renewed by `expire`, which returns nil or why it failed, and shared ones as renewHolder does. Returns the
-- failures only, as renew.lua and confirm.lua describe them.
--
-- The ids are one argument and compared as one text: an argument and a reply for each lock would make the renewal a quarter
-- slower. No id contains a ; so equal texts are equal ids.
local function renewAll(lease, all, expire, always)
  local owners = {}
  for i, key in ipairs(KEYS) do
    owners[i] = redis.pcall('HGET', key, 'o')
  end
  -- Fails if an owner is not a string: the lock is free, or there was an error.
  local joined, text = pcall(table.concat, owners, ';')
  local ids = nil
  if not joined or text ~= all then
    ids = {}
    for id in string.gmatch(all, '[^;]+') do
      ids[#ids + 1] = id
    end
  end
  local failures = {}
  for i, key in ipairs(KEYS) do
    local failure
    if not ids or owners[i] == ids[i] then
      failure = expire(key)
    elseif owners[i] == '~r' or owners[i] == '~s' then
      failure = renewHolder(key, ids[i], lease, always)
    else
      failure = reason(owners[i])
    end
    if failure then
      failures[#failures + 1] = i
      failures[#failures + 1] = failure
    end
  end
  return failures
end
