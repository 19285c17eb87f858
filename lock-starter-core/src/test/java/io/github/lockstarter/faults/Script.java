package io.github.lockstarter.faults;

import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.springframework.data.redis.core.script.DigestUtils;

/** The scripts of the store, as they look on the wire: a command matches if it calls the script. */
enum Script implements Predicate<List<String>> {
    ACQUIRE("acquire.lua"),
    RENEW("renew.lua"),
    RELEASE("release.lua"),
    KEEP("keep.lua"),
    INSPECT("inspect.lua"),
    REGISTER("register.lua");

    private final String text;

    private final String sha1;

    Script(String file) {
        try (InputStream in = RedisLockStore.class.getResourceAsStream("script/" + file)) {
            this.text = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        this.sha1 = DigestUtils.sha1DigestAsHex(this.text);
    }

    /** Whether a line of Redis' monitor shows a call, by the digest or by the text: of that the first line is enough. */
    boolean isCalledIn(String monitored) {
        return monitored.contains(this.sha1) || monitored.contains(this.text.substring(0, this.text.indexOf('\n')));
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

    /** Acquires, as if it came from the one with that id, which never waits. */
    static void acquire(RedisCli redis, String key, String id, Duration lease) {
        ACQUIRE.call(redis, key, id, Long.toString(lease.toMillis()));
    }

    /** Calls the script for that key, as if the command came late, and returns what Redis answers. */
    Object call(RedisCli redis, String key, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVALSHA", this.sha1, "1", key));
        command.addAll(List.of(arguments));
        return redis.command(command.toArray(String[]::new));
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
