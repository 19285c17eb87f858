package io.github.lockstarter.testsupport;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The text of a script with a guard in front of it, which applies the rules of a profile to each command that is
 * executed. The server executes the text that the guard precedes, so that a command is refused only if its branch is
 * reached, and also if it is composed at run time.
 */
final class GuardedScript {

    /**
     * Replaces the global {@code redis} by a local table with other {@code call} and {@code pcall}. An error that
     * {@code call} raises names the line of the caller: Redis 7 writes the line of the guard to the table of the
     * error, so that it has to be replaced when it is written; Redis 6.2 has texts instead of tables.
     */
    private static final String GUARD = """
            local redis = (function(server)
              local refused, otherSlot, countsNothing = {$refused}, '$otherSlot', $countsNothing
              local function slot(key)
                local tag = string.match(key, '^[^{]*{([^}]+)}')
                local crc = 0
                for i = 1, #(tag or key) do
                  crc = bit.bxor(crc, bit.lshift(string.byte(tag or key, i), 8))
                  for _ = 1, 8 do
                    local shifted = bit.lshift(crc, 1)
                    crc = bit.band(crc, 0x8000) ~= 0 and bit.bxor(shifted, 0x1021) or shifted
                  end
                  crc = bit.band(crc, 0xffff)
                end
                return crc % 16384
              end
              local function isElsewhere(channel)
                return otherSlot ~= 'WORKS' and channel and KEYS[1] and slot(channel) ~= slot(KEYS[1])
              end
              local function pcall_(...)
                local name = string.upper(tostring((...)))
                if refused[name] then
                  return {err = refused[name]}
                end
                if name == 'PUBLISH' and isElsewhere(select(2, ...)) then
                  return otherSlot == 'LOST' and 0
                    or {err = 'ERR Script attempted to access keys that do not hash to the same slot'}
                end
                local reply = server.pcall(...)
                if name == 'PUBSUB' and string.upper(tostring((select(2, ...)))) == 'NUMSUB' and not reply.err then
                  for i = 1, #reply, 2 do
                    if countsNothing or isElsewhere(reply[i]) then
                      reply[i + 1] = 0
                    end
                  end
                end
                return reply
              end
              local function call(...)
                local reply = pcall_(...)
                if type(reply) == 'table' and reply.err then
                  local _, place = pcall(error, '', 3)
                  local line = string.match(place, ':(%d+):')
                  if not server.REDIS_VERSION_NUM then
                    error('@user_script: ' .. (line or '1') .. ': ' .. reply.err, 0)
                  end
                  error(setmetatable({err = reply.err}, {__newindex = function(failure, field, value)
                    rawset(failure, field, field == 'line' and line or value)
                  end}))
                end
                return reply
              end
              return setmetatable({call = call, pcall = pcall_}, {__index = server})
            end)(redis);
            """;

    private GuardedScript() {}

    static boolean isNeededFor(ServiceProfile profile) {
        return profile.checksTexts()
                || profile.countsNothing()
                || profile.otherSlot() != ServiceProfile.OtherSlot.WORKS
                || !profile.refusedInScripts().isEmpty();
    }

    /** Returns the beginning of scripts, in one line: lines of the script keep their numbers. */
    static String guardOf(ServiceProfile profile) {
        Map<String, String> refused = profile.refusedInScripts();
        String table = refused.entrySet().stream()
                .map(each -> "['" + each.getKey() + "'] = '" + each.getValue() + "'")
                .collect(Collectors.joining(", "));
        return GUARD.replace("$refused", table)
                .replace("$otherSlot", profile.otherSlot().name())
                .replace("$countsNothing", String.valueOf(profile.countsNothing()))
                .replaceAll("\\s+", " ");
    }

    /** Returns the text with the guard in front of it; a first line {@code #!lua …} stays the first. */
    static String guarded(String guard, String text) {
        int shebang = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
        return text.substring(0, shebang) + guard + text.substring(shebang);
    }
}
