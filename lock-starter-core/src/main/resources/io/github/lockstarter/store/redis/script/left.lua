-- Negative if the key does not exist (-2) or does not expire (-1).
local left = redis.call('PTTL', KEYS[1])
