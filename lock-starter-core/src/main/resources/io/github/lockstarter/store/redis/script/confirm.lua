-- Writes locks again whose grant or renewal replicas are to acknowledge, each independently of the others. The WAIT that
-- follows on the same connection returns when the replicas have these writes, and so all earlier ones.
--
-- Follows the text of shared.lua, which describes locks in shared use: there the acquisition must be a holder.
--
-- KEYS[i]  the locks, see acquire.lua
-- ARGV[1]  lease in milliseconds, the same for all
-- ARGV[2]  ids of the acquisitions that must own the locks, in the order of the keys, separated by ;
--
-- Returns the failures only, as renew.lua does: the position of the key, counted from 1, then 0 if the lock is free, -1 if
-- another acquisition owns it or the key is not a lock, or the text of the error for this key.
--
-- Atomic, because the owner must be compared and the lease extended in one step, or a late confirmation would extend the
-- lease of the next owner. It never creates a key and never shortens a lease: the lease of a nested hold may be longer.
-- Unlike renew.lua it writes each key that its acquisition owns, even if that changes nothing, because a write that is
-- skipped is not replicated. Each command uses pcall, so that a key of another type affects only its own lock. It works on a
-- full Redis, which always accepts PEXPIRE.
--
-- The ids are one argument and compared as one text, see renew.lua.

local lease = tonumber(ARGV[1])
local command = redis.pcall

local function expire(key)
  local left = command('PTTL', key)
  if type(left) == 'table' then
    return left
  end
  return command('PEXPIRE', key, math.max(left, lease))
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
    if isMarker(owners[i]) then
      failure = renewHolder(key, ids[i], tonumber(lease), true)
    else
      failure = reason(owners[i])
    end
  else
    local set = expire(key)
    if type(set) == 'table' then
      failure = set.err
    elseif set == 0 then
      failure = 0
    end
  end
  if failure then
    failures[#failures + 1] = i
    failures[#failures + 1] = failure
  end
end

return failures
