-- Replaces messages.lua where a server refuses its commands in scripts: waiters poll.

local function hasNoReceiver()
  return false
end

local function notify()
end
