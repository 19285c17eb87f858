-- Frees the lock. Where a server refuses TIME in scripts, no_time_free.lua replaces this text.
redis.call('DEL', KEYS[1])
