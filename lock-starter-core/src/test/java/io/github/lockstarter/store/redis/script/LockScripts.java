package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.StoredLine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Calls the scripts of one lock, {@link #KEY}, as the store would, and reads what they left in Redis. */
final class LockScripts {

    static final String KEY = "lock:{a}";

    static final String INBOX = "lock:inbox:one";

    /** In milliseconds, long enough for nothing to expire by itself. */
    static final long LEASE = 60_000;

    static final long CLAIM = 20_000;

    private final RedisCli redis;

    LockScripts(RedisCli redis) {
        this.redis = redis;
    }

    long acquire(String id) {
        return code(LuaScript.ACQUIRE, id, KEY, LEASE);
    }

    /** Joins the line of a lock that is taken, or polls in it. */
    long join(String id) {
        return code(LuaScript.ACQUIRE, id, KEY, LEASE, CLAIM + ":one");
    }

    long release(String id) {
        return code(LuaScript.RELEASE, id, KEY);
    }

    /** Releases with a next waiter of the same instance. */
    long releaseTo(String successor, String id, long lastToken) {
        return code(LuaScript.RELEASE, id, KEY, lastToken, successor, LEASE, CLAIM + ":one");
    }

    private long code(LuaScript script, Object... arguments) {
        return Long.parseLong(call(script, List.of(KEY), arguments).toString().split(" ", -1)[0]);
    }

    Object call(LuaScript script, List<String> keys, Object... arguments) {
        List<String> command =
                new ArrayList<>(List.of("EVAL", script.getScriptAsString(), Integer.toString(keys.size())));
        command.addAll(keys);
        Arrays.stream(arguments).map(String::valueOf).forEach(command::add);
        return Objects.requireNonNull(this.redis.command(command.toArray(String[]::new)));
    }

    /** Stores a lock without a script. */
    void held(String key, String owner, long token, long leaseMillis) {
        this.redis.command("HSET", key, "o", owner, "f", Long.toString(token));
        this.redis.command("PEXPIRE", key, Long.toString(leaseMillis));
    }

    String owner() {
        return String.valueOf(this.redis.hgetall(KEY).get("o"));
    }

    long token() {
        return Long.parseLong(this.redis.hgetall(KEY).get("f"));
    }

    /** The ids in the waiting line, from the head to the tail. */
    List<String> waiting() {
        return StoredLine.of(this.redis, KEY).stream().map(StoredLine.Entry::id).toList();
    }

    void assertThatLeaseIs(long millis) {
        assertThat(this.redis.pttl(KEY)).isBetween(millis - 5_000, millis);
    }

    /** Reads what has come to the inbox, to which the listener is subscribed. */
    List<String> messages(RedisCli listener) {
        this.redis.command("PUBLISH", INBOX, "the end");
        List<String> messages = new ArrayList<>();
        String text = read(listener);
        while (!text.equals("the end")) {
            messages.add(text);
            text = read(listener);
        }
        return messages;
    }

    private static String read(RedisCli listener) {
        return (String) ((List<?>) Objects.requireNonNull(listener.read())).get(2);
    }
}
