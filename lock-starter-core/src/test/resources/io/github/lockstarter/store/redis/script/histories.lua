-- Executes random histories of the scripts on a stub of Redis, and prints each reply and what is stored afterwards. It
-- runs under Lua 5.1, which Redis has, and under Lua 5.4, which some servers have: both must print the same.
--
-- arg[1]  the folder with the texts of the scripts
-- arg[2]  end of their file names

local folder, suffix = arg[1], arg[2]
local compile = loadstring or load
local isNew = math.type ~= nil

-- The time of the server in microseconds, and the hashes with the millisecond at which they expire.
local micros, stored = 1700000000123456, {}

local function millis()
  return math.floor(micros / 1000)
end

-- A number must be an integer: a server of Lua 5.4 sends 5.0 otherwise.
local function word(value)
  if type(value) == 'number' then
    assert(not isNew or math.type(value) == 'integer', 'a float is an argument or a reply: ' .. tostring(value))
    return string.format('%d', value)
  end
  assert(type(value) == 'string', 'an argument or a reply is a ' .. type(value))
  return value
end

local function live(key)
  local hash = stored[key]
  if hash and hash.expires and hash.expires <= millis() then
    stored[key] = nil
  end
  return stored[key]
end

local function sortedNames(fields)
  local names = {}
  for name in pairs(fields) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

local widest = {}

local commands = {}

function commands.TIME()
  return {string.format('%d', math.floor(micros / 1000000)), string.format('%d', micros % 1000000)}
end

function commands.HSET(key, ...)
  local words = {...}
  assert(#words > 0 and #words % 2 == 0, 'HSET with ' .. #words .. ' words')
  local hash = live(key) or {fields = {}}
  stored[key] = hash
  for i = 1, #words, 2 do
    hash.fields[words[i]] = words[i + 1]
  end
  return #words / 2
end

function commands.HGET(key, name)
  local hash = live(key)
  return hash and hash.fields[name] or false
end

function commands.HMGET(key, ...)
  local values = {}
  for i, name in ipairs({...}) do
    values[i] = commands.HGET(key, name)
  end
  return values
end

function commands.HGETALL(key)
  local words, hash = {}, live(key)
  for _, name in ipairs(sortedNames(hash and hash.fields or {})) do
    words[#words + 1] = name
    words[#words + 1] = hash.fields[name]
  end
  return words
end

function commands.HDEL(key, ...)
  local hash = live(key)
  for _, name in ipairs({...}) do
    if hash then
      hash.fields[name] = nil
    end
  end
  if hash and next(hash.fields) == nil then
    stored[key] = nil
  end
  return 1
end

function commands.DEL(key)
  stored[key] = nil
  return 1
end

function commands.PTTL(key)
  local hash = live(key)
  return hash and (hash.expires and hash.expires - millis() or -1) or -2
end

function commands.PEXPIRETIME(key)
  local hash = live(key)
  return hash and (hash.expires or -1) or -2
end

function commands.PEXPIRE(key, lease, option)
  local hash = live(key)
  local expires = millis() + tonumber(lease)
  if not hash or option == 'GT' and expires <= hash.expires then
    return 0
  end
  hash.expires = expires
  return 1
end

function commands.PUBLISH(channel, message)
  print('PUBLISH', channel, message)
  return 1
end

function commands.PUBSUB(_, channel)
  return {channel, #channel % 2}
end

local function call(command, ...)
  local words = {...}
  for i = 1, select('#', ...) do
    words[i] = word(words[i])
  end
  widest[command] = math.max(widest[command] or 0, #words)
  return commands[command]((table.unpack or unpack)(words))
end

local scripts = {}

local function run(script, keys, ...)
  if not scripts[script] then
    local file = assert(io.open(folder .. '/' .. script .. suffix .. '.lua'))
    scripts[script] = assert(compile(file:read('*a'), '=' .. script))
    file:close()
  end
  KEYS, ARGV = keys, {}
  for i, value in ipairs({...}) do
    ARGV[i] = word(value)
  end
  return scripts[script]()
end

local function show(value)
  if type(value) == 'table' then
    local shown = {}
    for i, each in ipairs(value) do
      shown[i] = show(each)
    end
    return value.err and 'error ' .. value.err or '{' .. table.concat(shown, ' ') .. '}'
  end
  return type(value) == 'boolean' and tostring(value) or value == nil and 'nil' or word(value)
end

redis = {
  call = call,
  pcall = function(...)
    local done, reply = pcall(call, ...)
    assert(done, reply)
    return reply
  end,
  error_reply = function(message)
    return {err = message}
  end
}

-- Of small numbers, so that both versions compute the same.
local seed = 1
local function random(count)
  seed = seed * 16807 % 2147483647
  return seed % count
end

local function any(values)
  return values[random(#values) + 1]
end

local LOCKS = {'lock:{a}', 'lock:{b}', 'lock:{c}'}
local IDS = {'a1', 'a2', 'a3', 'a4', 'a5', 'b1.r', 'b2.r', 'b3.r', 'a1.r', 'c1.s1.3', 'c2.s2.3', 'c3.s1.3'}
local CLAIMS = {'2000:', '2000:one', '2000:three', '500:seven', '2000.five'}

local function step(script, keys, ...)
  print(script, table.concat(keys, ' '), ...)
  print('', show(run(script, keys, ...)))
  for _, key in ipairs(keys) do
    local hash = live(key)
    print('', key, hash and show(commands.HGETALL(key)) or 'free', hash and show(commands.PTTL(key)) or '')
  end
end

local function randomStep(lock)
  local id, lease = any(IDS), 1 + random(6000)
  local kind = random(100)
  if kind < 45 then
    step('acquire', {lock}, id, lock, lease, any(CLAIMS))
  elseif kind < 50 then
    step('acquire', {lock}, id, lock, lease)
  elseif kind < 70 then
    step('release', {lock}, commands.HGET(lock, 'o') or id, lock)
  elseif kind < 82 then
    step('release', {lock}, commands.HGET(lock, 'o') or id, lock, any({'0', '1700000900123456'}), any(IDS), lease,
      any(CLAIMS))
  elseif kind < 86 then
    step('keep', {lock}, any({id, 'a1', 'b1.r'}), lease)
  elseif kind < 90 then
    step('downgrade', {lock}, any({'a1', 'a2'}), lock, lease, 0)
  elseif kind < 93 then
    step('renew', {lock}, lease, any(IDS))
  elseif kind < 97 then
    step('renew_4', {LOCKS[1], LOCKS[2], LOCKS[3], lock}, lease, table.concat({any(IDS), any(IDS), id, id}, ';'))
  else
    step('inspect', {lock})
  end
end

setmetatable(_G, {__index = function(_, name)
  error('a script reads the global variable ' .. name)
end})

for _, version in ipairs({false, 0x70000}) do
  redis.REDIS_VERSION_NUM = version
  for _ = 1, 3000 do
    micros = micros + any({0, 1000, 137000, 1000000, 2500000})
    randomStep(any(LOCKS))
  end
  -- More entries, holders and renewals than one call has fields.
  stored = {}
  for i = 1, 300 do
    step('acquire', {'lock:{a}'}, 'x' .. i, 'lock:{a}', 60000, '2000:')
    step('acquire', {'lock:{b}'}, 'x' .. i .. '.r', 'lock:{b}', 60000 - i, '2000:')
  end
  step('acquire', {'lock:{b}'}, 'writer', 'lock:{b}', 1000, '2000:one')
  micros = micros + 59800000
  step('acquire', {'lock:{a}'}, 'late', 'lock:{a}', 1000, '2000:one')
  step('acquire', {'lock:{b}'}, 'writer', 'lock:{b}', 1000, '2000:one')
  micros = micros + 1000000
  step('acquire', {'lock:{a}'}, 'late', 'lock:{a}', 1000, '2000:one')
  step('acquire', {'lock:{b}'}, 'late', 'lock:{b}', 1000, '2000:one')
  local keys, ids = {}, {}
  for i = 1, 64 do
    keys[i], ids[i] = 'lock:{many' .. i .. '}', 'x' .. i
    step('acquire', {keys[i]}, ids[i], keys[i], 1000 + i)
  end
  step('renew_64', keys, 1032, table.concat(ids, ';'))
  step('renew_64', keys, 2000, table.concat(ids, ';'), 1)
  ids[64] = 'another'
  step('renew_64', keys, 3000, table.concat(ids, ';'))
end

rawset(_G, 'KEYS', nil)
print('widest', rawget(widest, 'HSET'), rawget(widest, 'HDEL'), rawget(widest, 'HMGET'))
