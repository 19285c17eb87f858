-- Refuses what is no id of an acquisition: with a marker of lock.lua as its id, a command would act on a lock in shared use or in a
-- minimum hold as if it had one owner.
if string.byte(ARGV[1]) == 126 then
  return redis.error_reply('ERR the id begins with ~, and is that of no acquisition')
end
