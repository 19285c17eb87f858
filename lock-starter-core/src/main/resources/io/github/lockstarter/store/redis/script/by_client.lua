-- The frame of a script that includes outbox.lua. Returns a list: the result of the script, followed by inbox and text of each message
-- that its client is to publish; or the error of the script, which has no messages then.

local outbox = {false}

local function execute()
  -- include script
end

local result = execute()
if type(result) == 'table' then
  return result
end
outbox[1] = result
return outbox
