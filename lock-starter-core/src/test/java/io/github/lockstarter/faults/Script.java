package io.github.lockstarter.faults;

import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.data.redis.core.script.RedisScript;

/** The scripts of the store, as they look on the wire: a command matches if it calls the script. */
@SuppressWarnings("ImmutableEnumChecker") // the list is never changed
enum Script implements Predicate<List<String>> {
    ACQUIRE(LuaScript.ACQUIRE),
    RENEW(LuaScript.RENEW),
    RELEASE(LuaScript.RELEASE),
    KEEP(LuaScript.KEEP),
    INSPECT(LuaScript.INSPECT),
    DOWNGRADE(LuaScript.DOWNGRADE),
    REGISTER(LuaScript.REGISTER),
    INSTANCE(LuaScript.INSTANCE);

    /** The texts for one lock and for several ones, and those that return messages. */
    private final List<RedisScript<?>> scripts;

    Script(LuaScript script) {
        this.scripts = Stream.of(LuaScript.values())
                .filter(each -> each == script || each.name().startsWith(script.name() + '_'))
                .<RedisScript<?>>flatMap(each -> Stream.of(each, each.in(Set.of(LuaScript.Variant.RETURNS_MESSAGES))))
                .toList();
    }

    @Override
    public boolean test(List<String> command) {
        return command.size() > 1
                && this.scripts.stream()
                        .anyMatch(script -> command.get(1).equals(script.getSha1())
                                || command.get(1).equals(script.getScriptAsString()));
    }

    /** Calls for that key. */
    Predicate<List<String>> of(String key) {
        return command -> test(command) && command.contains(key);
    }

    /** Makes Redis know all scripts, so that the next call of each is one command. */
    static void loadAll(RedisCli redis) {
        for (Script script : values()) {
            script.scripts.forEach(each -> redis.command("SCRIPT", "LOAD", each.getScriptAsString()));
        }
    }

    /** The acquisition ids that this script was called with, through that proxy, since it forgot all commands. */
    Set<String> idsSeen(FaultProxy proxy) {
        Set<String> ids = new TreeSet<>();
        // the proxy counts, and this looks at what it counts: name, script, number of keys, key, id
        proxy.commandsSeen(command -> test(command) && ids.add(command.get(4)));
        return ids;
    }
}
