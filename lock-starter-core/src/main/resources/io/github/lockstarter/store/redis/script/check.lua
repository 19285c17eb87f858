-- Executes commands, each independently of the others, to find those that the user may not execute.
--
-- KEYS[1]  the key that the commands name, which no lock has
-- ARGV     the commands: for each of them the number of its words, then the words
--
-- Returns the failures only, as a flat list: the position of the command, counted from 1, then the text of its error.
--
-- One script, because permissions inside of a script must be checked there, and a single call leaves nothing half done when
-- the connection breaks. No command may create a key: HSET lacks a value, which a server rejects after it has checked the
-- permission and before it writes.

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
