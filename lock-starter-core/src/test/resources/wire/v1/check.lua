-- Tries commands, each on its own, and returns the errors of those that failed.
--
-- KEYS[1]  the key that the commands name, which no lock has; absent if the user may not access it, for then a server
--          refuses the whole call
-- ARGV     the commands: for each of them the number of its words, then the words
--
-- Returns a flat list: the position of each command that failed, counted from 1, then the text of its error.
--
-- One script, because permissions must be tried where locks need them, and a single command leaves nothing half done when
-- the connection breaks. No command may create a key: HSET comes with a field that has no value, which a server refuses
-- after it has checked the permission and before it writes.

local failures = {}
local position = 0
local i = 1

while i <= #ARGV do
  local words = tonumber(ARGV[i])
  local answer = redis.pcall(unpack(ARGV, i + 1, i + words))
  position = position + 1
  if type(answer) == 'table' and answer.err then
    failures[#failures + 1] = position
    failures[#failures + 1] = answer.err
  end
  i = i + words + 1
end

return failures
