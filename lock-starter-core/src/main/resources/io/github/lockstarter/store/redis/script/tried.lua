-- Collects the failures of the commands that a check executes.

local failures = {}

local function tried(command, reply)
  if type(reply) == 'table' and reply.err then
    failures[#failures + 1] = command
    failures[#failures + 1] = reply.err
  end
end
