-- Renews leases, each on its own.
--
-- KEYS[i]  a lock
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own them, in the order of the keys, a ; between any two
--
-- Returns only what was not renewed, as a flat list: which of the keys, then 0 if nobody owns it, -1 if somebody else
-- does or the key holds something else, or the text of the error that Redis gave for this one.
--
-- One script for many locks saves commands; each stands under pcall, so that a key of a wrong type costs only its own
-- lock. Compare and expire must be one step, or a late renewal would prolong the successor's lease. It never creates a
-- key, never shortens what is left, and PEXPIRE works on a full Redis.
--
-- The ids come as one text and are compared as one: a text more for each lock, and an answer for each, would cost Redis
-- a quarter of the renewal. No id has a ; in it, so equal texts are equal ids.

-- Servers that tell their version (7.0 and newer) know GT: one command a lock less.
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

-- Joining fails if one of them is no text: nobody, or an error.
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
