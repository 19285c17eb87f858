package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.StoredLine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Calls the scripts of one lock, {@link #KEY}, as the store would, and looks at what they left in Redis. */
final class LockScripts {

    static final String KEY = "lock:{a}";

    static final String INBOXES = "lock:inbox:";

    /** In milliseconds, long enough for nothing to run out by itself. */
    static final long LEASE = 60_000;

    static final long CLAIM = 20_000;

    /** For a server whose count of receivers is the truth, and for one whose count says nothing. */
    enum Receivers {
        COUNT,
        DO_NOT_COUNT
    }

    private final RedisCli redis;

    LockScripts(RedisCli redis) {
        this.redis = redis;
    }

    /** Asks without joining the line. */
    long acquire(String id) {
        return acquire(id, LEASE);
    }

    long acquire(String id, long lease) {
        return call(LuaScript.ACQUIRE, id, Long.toString(lease));
    }

    /** Asks, and joins the line if the lock is taken; an empty instance only polls. */
    long join(String id, String instance) {
        return join(id, instance, CLAIM);
    }

    long join(String id, String instance, long claim) {
        return call(LuaScript.ACQUIRE, id, Long.toString(LEASE), Long.toString(claim), instance);
    }

    /** Joins the line of a lock that is taken, or polls in it, and returns the whole reply. */
    List<?> refusal(String id) {
        List<String> command = List.of(
                "EVAL",
                LuaScript.ACQUIRE.getScriptAsString(),
                "1",
                KEY,
                id,
                Long.toString(LEASE),
                Long.toString(CLAIM),
                "");
        return (List<?>) Objects.requireNonNull(this.redis.command(command.toArray(String[]::new)));
    }

    /** Releases or leaves, with nobody else waiting in the same instance. */
    long release(String id) {
        return release(id, 0, Receivers.COUNT);
    }

    long release(String id, long lastToken, Receivers receivers) {
        return call(LuaScript.RELEASE, id, Long.toString(lastToken), code(receivers));
    }

    /** Releases with a next waiter of the same instance. */
    long releaseTo(String successor, String id, String instance) {
        return releaseTo(successor, id, instance, 0, Receivers.COUNT);
    }

    long releaseTo(String successor, String id, String instance, long lastToken, Receivers receivers) {
        return call(
                LuaScript.RELEASE,
                id,
                Long.toString(lastToken),
                code(receivers),
                successor,
                Long.toString(LEASE),
                Long.toString(CLAIM),
                instance);
    }

    /** Keeps the lock for a minimum hold. */
    long keep(String id, long millis) {
        return call(LuaScript.KEEP, id, Long.toString(millis));
    }

    /** Turns the writer into the reader of the same name. */
    long downgrade(String id) {
        return call(LuaScript.DOWNGRADE, id, Long.toString(LEASE), "0", code(Receivers.COUNT));
    }

    /** Renews the lease of this one lock; empty if it was renewed. */
    List<?> renew(String id) {
        return (List<?>) Objects.requireNonNull(
                this.redis.command("EVAL", LuaScript.RENEW.getScriptAsString(), "1", KEY, Long.toString(LEASE), id));
    }

    private long call(LuaScript<?> script, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.getScriptAsString(), "1", KEY));
        command.addAll(Arrays.asList(arguments));
        Object reply = Objects.requireNonNull(this.redis.command(command.toArray(String[]::new)));
        return (Long) (reply instanceof List<?> refusal ? refusal.get(0) : reply);
    }

    private static String code(Receivers receivers) {
        return receivers == Receivers.COUNT ? "1" : "0";
    }

    /** Makes a lock that is held with the given token, without a script. */
    void held(String owner, long token) {
        this.redis.command("HSET", KEY, "o", owner, "f", Long.toString(token));
        this.redis.command("PEXPIRE", KEY, Long.toString(LEASE));
    }

    /** Makes a lock that readers share, without a script; the holders are deadlines of the server's clock by ids. */
    void shared(Map<String, Long> holders) {
        held("~r", 1);
        holders.forEach((id, deadline) -> this.redis.command("HSET", KEY, "h:" + id, deadline + ":1:1"));
    }

    /** Returns the ids of the holders, expired or not. */
    Set<String> holders() {
        return this.redis.hgetall(KEY).keySet().stream()
                .filter(field -> field.startsWith("h:"))
                .map(field -> field.substring(2))
                .collect(Collectors.toSet());
    }

    /** Id of the owner; fails if nobody owns the lock. */
    String owner() {
        return Objects.requireNonNull(this.redis.hgetall(KEY).get("o"));
    }

    long token() {
        return Long.parseLong(this.redis.hgetall(KEY).get("f"));
    }

    /** Makes a line without a script; the entries are deadlines of the server's clock by ids, all of one inbox. */
    void line(String inbox, Map<String, Long> entries) {
        int place = 0;
        for (Map.Entry<String, Long> entry : entries.entrySet()) {
            place++;
            String waits = place + ":" + entry.getValue() + ':' + CLAIM + ':' + inbox;
            this.redis.command("HSET", KEY, "e:" + place, entry.getKey(), "w:" + entry.getKey(), waits);
        }
        this.redis.command("HSET", KEY, "q", "1:" + place + ':' + place + ":0");
    }

    /** The entries of the waiting line, each as {@code ;<id>:<inbox>:<claim>}; empty: there are none. */
    String line() {
        return StoredLine.of(this.redis, KEY).stream()
                .map(entry -> ';' + entry.id() + ':' + entry.inbox() + ':' + entry.claimMillis())
                .collect(Collectors.joining());
    }

    /** The ids in the waiting line, from the head to the tail. */
    List<String> waiting() {
        return StoredLine.of(this.redis, KEY).stream().map(StoredLine.Entry::id).toList();
    }

    void assertThatLeaseIs(long millis) {
        assertThat(this.redis.pttl(KEY)).isBetween(millis - 5_000, millis);
    }

    void assertThatNobodyOwnsIt() {
        assertThat(this.redis.command("DBSIZE")).as("keys that are left").isEqualTo(0L);
    }
}
