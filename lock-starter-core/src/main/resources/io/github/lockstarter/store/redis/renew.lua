-- Renews leases, each on its own.
--
-- KEYS[i]      a lock
-- ARGV[1]      lease in milliseconds, the same for all
-- ARGV[i + 1]  id of the acquisition that must own it
--
-- Returns a list, one entry a lock: 1 renewed, 0 nobody owns it, -1 somebody else does or the key holds something else,
-- or the text of the error that Redis gave for this one.
--
-- One script for many locks saves commands; each stands under pcall, so that a key of a wrong type costs only its own
-- lock. Compare and expire must be one step, or a late renewal would prolong the successor's lease. It never creates a
-- key, never shortens what is left, and PEXPIRE works on a full Redis.

-- Servers that tell their version (7.0 and newer) know GT: one command a lock less.
local greater = redis.REDIS_VERSION_NUM ~= nil

local lease = ARGV[1]

local function expire(key)
  if greater then
    return redis.pcall('PEXPIRE', key, lease, 'GT')
  end
  local left = redis.pcall('PTTL', key)
  if type(left) == 'table' then
    return left
  end
  return left >= 0 and left < tonumber(lease) and redis.pcall('PEXPIRE', key, lease)
end

local replies = {}

for i, key in ipairs(KEYS) do
  local owner = redis.pcall('HGET', key, 'o')
  if type(owner) == 'table' and owner.err then
    if string.sub(owner.err, 1, 9) == 'WRONGTYPE' then
      replies[i] = -1
    else
      replies[i] = owner.err
    end
  elseif not owner then
    replies[i] = 0
  elseif owner ~= ARGV[i + 1] then
    replies[i] = -1
  else
    local set = expire(key)
    if type(set) == 'table' then
      replies[i] = set.err
    else
      replies[i] = 1
    end
  end
end

return replies
