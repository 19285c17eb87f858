package io.github.lockstarter.wire;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * An instance of an application with the previous version of this library, as Redis sees it: the scripts of that version
 * with their keys and arguments, and the channel on which it hears of grants. Nothing here is shared with the present code.
 */
final class PreviousInstance implements AutoCloseable {

    /** An earlier version. */
    enum Version {
        /** Messages contain the key alone. */
        V1,
        /** Messages to inboxes with a mark contain the grant. It has no locks in shared use. */
        V2;

        private String inboxOf(String instanceId) {
            return this == V1 ? instanceId : instanceId + '+';
        }
    }

    /** Lease of all grants, in milliseconds. */
    static final long LEASE = 60_000;

    private static final String CLAIM = "20000";

    private static final String INBOXES = "lock:inbox:";

    private final Version version;

    private final String instanceId;

    private final RedisCli redis;

    private final RedisCli inbox;

    PreviousInstance(RedisServer server, String instanceId) {
        this(server, instanceId, Version.V1);
    }

    PreviousInstance(RedisServer server, String instanceId, Version version) {
        this.version = version;
        this.instanceId = version.inboxOf(instanceId);
        this.redis = server.cli();
        this.inbox = server.cli();
        this.inbox.command("SUBSCRIBE", INBOXES + this.instanceId);
    }

    /** Returns the token if the acquisition owns the lock now, otherwise the remaining milliseconds, negated. */
    long acquire(String lockName, String id) {
        return call("acquire", lockName, id, Long.toString(LEASE));
    }

    /** As {@link #acquire}, but joins the line if the lock is taken. */
    long join(String lockName, String id) {
        return call("acquire", lockName, id, Long.toString(LEASE), CLAIM, this.instanceId);
    }

    /** Returns 1 released, 3 left the line, 0 free, -1 owned by another acquisition. */
    long release(String lockName, String id) {
        return call("release", lockName, id, "0", INBOXES, "1");
    }

    /**
     * As {@link #release}; returns the token if the next waiter of this instance owns the lock now; if it is in line, 2 or,
     * from V2 on, the negated token of the owner.
     */
    long releaseTo(String lockName, String id, String next) {
        return call("release", lockName, id, "0", INBOXES, "1", next, Long.toString(LEASE), CLAIM, this.instanceId);
    }

    /** Returns 1 if the lock stays taken, 0 if it is free, -1 if another acquisition owns it. */
    long keep(String lockName, String id, long millis) {
        return call("keep", lockName, id, Long.toString(millis));
    }

    /** Returns an empty list if the lease was renewed; otherwise 1 and then 0, free, or -1, owned by another. */
    List<?> renew(String lockName, String id) {
        return (List<?>) eval("renew", lockName, Long.toString(LEASE), id);
    }

    /** Returns whether the lock had an owner. */
    boolean forceUnlock(String lockName) {
        Object owner = this.redis.command("HGET", keyOf(lockName), "o");
        return owner != null && release(lockName, owner.toString()) == 1;
    }

    boolean isLocked(String lockName) {
        return Long.valueOf(1).equals(this.redis.command("HEXISTS", keyOf(lockName), "o"));
    }

    long tokenOf(String lockName) {
        return Long.parseLong(String.valueOf(this.redis.command("HGET", keyOf(lockName), "f")));
    }

    long remainingMillis(String lockName) {
        return this.redis.pttl(keyOf(lockName));
    }

    /** Returns how many acquisitions of all instances wait for the lock in Redis. */
    long lineLength(String lockName) {
        Object line = this.redis.command("HGET", keyOf(lockName), "q");
        return line == null ? 0 : line.toString().chars().filter(c -> c == ';').count();
    }

    /** Waits for the next message, at most five seconds, and returns the name of the lock that it announces. */
    String nextMessage() {
        List<?> message = (List<?>) Objects.requireNonNull(this.inbox.read());
        String key = String.valueOf(message.get(2));
        return decode(key.substring("lock:{".length(), key.indexOf('}')));
    }

    @Override
    public void close() {
        this.redis.close();
        this.inbox.close();
    }

    private long call(String script, String lockName, String... arguments) {
        return (Long) eval(script, lockName, arguments);
    }

    private Object eval(String script, String lockName, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", textOf(this.version, script), "1", keyOf(lockName)));
        command.addAll(List.of(arguments));
        return Objects.requireNonNull(this.redis.command(command.toArray(String[]::new)));
    }

    private static String textOf(Version version, String script) {
        String file = "/wire/" + version.name().toLowerCase(Locale.ROOT) + '/' + script + ".lua";
        try (InputStream in = PreviousInstance.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** For names of printable ASCII characters. */
    private static String keyOf(String lockName) {
        return "lock:{" + lockName.replace("%", "%25").replace("{", "%7B").replace("}", "%7D") + '}';
    }

    private static String decode(String encoded) {
        return encoded.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }
}
