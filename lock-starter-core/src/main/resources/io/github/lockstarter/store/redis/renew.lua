-- Renews leases, each on its own.
--
-- KEYS[i]      a lock
-- ARGV[2i-1]   id of the acquisition that must own it
-- ARGV[2i]     lease in milliseconds
--
-- Returns a list, one entry a lock: 1 renewed, 0 nobody owns it, -1 somebody else does or the key holds something else,
-- or the text of the error that Redis gave for this one.
--
-- One script for many locks saves commands; each stands under pcall, so that a key of a wrong type costs only its own
-- lock. Compare and expire must be one step, or a late renewal would prolong the successor's lease. It never creates a
-- key, never shortens what is left, and PEXPIRE works on a full Redis.

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
  elseif owner ~= ARGV[2 * i - 1] then
    replies[i] = -1
  else
    local reply = 1
    local lease = tonumber(ARGV[2 * i])
    local left = redis.pcall('PTTL', key)
    if type(left) == 'table' then
      reply = left.err
    elseif left >= 0 and left < lease then
      local set = redis.pcall('PEXPIRE', key, lease)
      if type(set) == 'table' then
        reply = set.err
      end
    end
    replies[i] = reply
  end
end

return replies
