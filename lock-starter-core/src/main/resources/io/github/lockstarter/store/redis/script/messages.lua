-- Messages about grants of a lock: its key, which is `name`, followed by <id>:<token>, to the inbox of the instance
-- that waits. An inbox without a name receives none. Both functions use pcall: without the permissions, waiters poll. These are the
-- only commands for messages, and outbox.lua replaces this text where a server refuses them in scripts or loses the messages.
-- After a forced release, check_messages.lua or the client publishes `name` .. 'revoked:' .. id to the inbox of the owner. A later
-- version may publish other lower-case words instead of revoked, which instances ignore.

-- Whether this server, which has counted the inbox before, knows no subscriber of it now.
local function hasNoReceiver(name, inbox)
  local counted = redis.pcall('PUBSUB', 'NUMSUB', string.match(name, '^(.-):{') .. ':inbox:' .. inbox)
  return counted[2] == 0
end

local function notify(name, inbox, id, token)
  if inbox ~= '' then
    redis.pcall('PUBLISH', string.match(name, '^(.-):{') .. ':inbox:' .. inbox, name .. id .. ':' .. token)
  end
end
