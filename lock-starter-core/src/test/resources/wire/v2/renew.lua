-- Renews leases, each independently of the others.
--
-- KEYS[i]  the locks, see acquire.lua
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own the locks, in the order of the keys, separated by ;
--
-- Returns the failures only, as a flat list: the position of the key, counted from 1, then 0 if the lock is free, -1 if
-- another acquisition owns it or the key is not a lock, or the text of the error for this key.
--
-- Atomic, because the owner must be compared and the lease extended in one step, or a late renewal would extend the lease
-- of the next owner. It never creates a key and never shortens a lease. One script for many locks saves commands; each
-- command uses pcall, so that a key of another type affects only its own lock. It works on a full Redis, which always
-- accepts PEXPIRE.
--
-- The ids are one argument and compared as one text: an argument and a reply for each lock would make the renewal a quarter
-- slower. No id contains a ; so equal texts are equal ids.

-- REDIS_VERSION_NUM exists from Redis 7.0 on, as does GT, which saves one command for each lock.
local greater = redis.REDIS_VERSION_NUM ~= nil

local lease = ARGV[1]
local command = redis.pcall

local function expire(key)
  if greater then
    return command('PEXPIRE', key, lease, 'GT')
  end
  local left = command('PTTL', key)
  if type(left) == 'table' then
    return left
  end
  return left >= 0 and left < tonumber(lease) and command('PEXPIRE', key, lease)
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
  owners[i] = command('HGET', key, 'o')
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
  local failure = nil
  if ids and owners[i] ~= ids[i] then
    failure = reason(owners[i])
  else
    local set = expire(key)
    if type(set) == 'table' then
      failure = set.err
    end
  end
  if failure then
    failures[#failures + 1] = i
    failures[#failures + 1] = failure
  end
end

return failures
