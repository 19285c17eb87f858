-- Replaces now.lua where a server refuses TIME in scripts, such as ElastiCache Serverless for Redis OSS 7.1: the end of a key, less the
-- time that is left of it, is the time of the server. It has milliseconds, and `time` the microsecond with which its millisecond begins.
-- PEXPIRETIME exists from Redis 7.0 on.
--
-- What could go wrong:
--   - Tokens have microseconds, so two grants in a millisecond would get equal ones. While the key exists, the next token is the last one
--     and one; a release keeps the last token until the clock is past it, see no_time_free.lua. A key that expires may forget it: belief and
--     hand-overs in memory end before. CoarseTime.tla specifies that.
--   - The clock of a script stands still from Redis 7.2 on. In Redis 7.0, PTTL and PEXPIRE read the clock each time, and the difference is
--     the time of this PTTL; no time that is read later is smaller.
--   - A key that does not exist yet has no time: no_time_left.lua creates it first.
--   - A key that does not expire, because another program has changed it, has no time. Commands that need it are refused, with `err`. A
--     waiting line alone survives the time 0: its entries count as late later, and their owners poll.
--   - A failover to a server whose clock is behind: tokens grow if that is less than the failover took, less a millisecond.
--   - A clock that is set back while the lock is free: as with TIME, less a millisecond. While the last token is kept, it does no harm.
--   - Clients with TIME beside others: their releases delete the key, so that the next token of the others can be too small. The server
--     decides it. Each connection asks again, and so does the store after a refusal, when the millisecond of the last token with TIME is over.
--   - DEL by hand and FLUSHALL: two grants in the same millisecond can get equal tokens.
local time = {0, 0, err = 'ERR the key of the lock does not expire, which shows no time; give it an expiry, or delete it'}
local expiry = redis.call('PEXPIRETIME', KEYS[N])
local rest = redis.call('PTTL', KEYS[N])
if expiry > 0 then
  time = {math.floor((expiry - rest) / 1000), (expiry - rest) % 1000 * 1000}
end
