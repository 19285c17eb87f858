package io.github.lockstarter.faults;

import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The scripts of the store, as they look on the wire: a command matches if it calls the script. */
enum Script implements Predicate<List<String>> {
    ACQUIRE(LuaScript.ACQUIRE, "acquire.lua"),
    RENEW(LuaScript.RENEW, "renew.lua"),
    RELEASE(LuaScript.RELEASE, "release.lua"),
    KEEP(LuaScript.KEEP, "keep.lua"),
    INSPECT(LuaScript.INSPECT, "inspect.lua"),
    DOWNGRADE(LuaScript.DOWNGRADE, "downgrade.lua"),
    REGISTER(LuaScript.REGISTER, "register.lua"),
    INSTANCE(LuaScript.INSTANCE, "instance.lua");

    private final String text;

    private final String sha1;

    /** The line of the script's own file that no other script has. */
    private final String title;

    Script(LuaScript script, String file) {
        this.text = script.getScriptAsString();
        this.sha1 = script.getSha1();
        try (InputStream in = RedisLockStore.class.getResourceAsStream("script/" + file)) {
            String own = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
            this.title = own.substring(0, own.indexOf('\n'));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Whether a line of Redis' monitor shows a call, by the digest or by the text. */
    boolean isCalledIn(String monitored) {
        return monitored.contains(this.sha1) || monitored.contains(this.title);
    }

    @Override
    public boolean test(List<String> command) {
        return command.size() > 1
                && (command.get(1).equals(this.sha1) || command.get(1).equals(this.text));
    }

    /** Calls for that key. */
    Predicate<List<String>> of(String key) {
        return command -> test(command) && command.contains(key);
    }

    /** Makes Redis know all scripts, so that the next call of each is one command. */
    static void loadAll(RedisCli redis) {
        for (Script script : values()) {
            redis.command("SCRIPT", "LOAD", script.text);
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
