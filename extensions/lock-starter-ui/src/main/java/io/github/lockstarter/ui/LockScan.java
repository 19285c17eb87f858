package io.github.lockstarter.ui;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Finds the names of all locks with {@code SCAN}, in parts, in a cluster one master after the other. Thread-safe.
 *
 * <p>A part ends with a cursor, which has all that the next part needs: no state is kept between two requests, and any
 * instance continues what another one began. A lock that exists during all parts is found at least once, another one
 * perhaps. In a cluster whose slots move meanwhile, that holds for the locks of the others.
 *
 * <p>Uses the application's connection, because the private one of the locks has no room for long commands. A part
 * whose command takes longer than the limit fails, whatever the timeouts of that connection are.
 */
final class LockScan {

    /**
     * A script, because Spring's cursors cannot be continued by another request, and because a script is sent to the
     * node of its key, which is in the same slots as the locks but is the key of none.
     */
    @SuppressWarnings("rawtypes")
    private static final RedisScript<List> SCRIPT = new DefaultRedisScript<>("""
            local reply = redis.pcall('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
            return reply.err and {reply.err} or reply
            """, List.class);

    private static final Pattern DENIED =
            Pattern.compile("NOPERM|The user executing the script |ACL failure in script: ");

    private static final String START = "0";

    /** Keys in one call, which blocks Redis for about a microsecond for each of them, and for at most a millisecond. */
    private static final int MAX_KEYS = 500;

    /** Time for the calls of one part where most keys do not belong to locks, or few locks have the text. */
    private static final long PART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StringRedisTemplate redis;

    private final RedisConnectionFactory factory;

    private final LockKeys keys;

    /** Finding a key takes thousands of hashes, and a cluster has few first slots. */
    private final Map<Integer, String> keysBySlot = new ConcurrentHashMap<>();

    private final Duration limit;

    /** Threads exist while there are requests. No more than two wait for a server that does not answer. */
    private final ThreadPoolExecutor threads;

    /**
     * Creates the scan.
     *
     * @param limit how long a part may take beyond the time that it should
     */
    LockScan(RedisConnectionFactory factory, String keyPrefix, Duration limit) {
        this.factory = factory;
        this.redis = new StringRedisTemplate(factory);
        this.keys = new LockKeys(keyPrefix, LoggedNames.withKeys(true));
        this.limit = limit;
        CustomizableThreadFactory daemons = new CustomizableThreadFactory("lock-page-");
        daemons.setDaemon(true);
        this.threads = new ThreadPoolExecutor(2, 2, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(16), daemons);
        this.threads.allowCoreThreadTimeOut(true);
    }

    /**
     * A part of all names.
     *
     * @param cursor cursor for the next part, or {@code null} if this was the last one
     */
    record Part(Set<String> names, @Nullable String cursor) {}

    /**
     * Returns the next names.
     *
     * @param cursor the cursor of the previous part, or {@code null} for the first part
     * @param text what the names contain; empty: all names
     * @param count how many names are wanted; a part can have a few more, and fewer where it takes long to find them
     * @return the part, or {@code null} if the user of the connection has no permission for {@code SCAN}
     * @throws LockStoreException if Redis does not answer in time
     * @throws IllegalArgumentException if the cursor is none
     */
    @Nullable
    Part next(@Nullable String cursor, String text, int count) {
        if (cursor != null && !cursor.matches("\\d{1,5}-\\d{1,19}")) {
            throw new IllegalArgumentException("This is no cursor.");
        }
        Future<@Nullable Part> part;
        try {
            part = this.threads.submit(() -> scan(cursor, text, count));
        } catch (RejectedExecutionException ex) {
            throw failed("Too many searches run at the same time. Try again", ex);
        }
        try {
            return part.get(this.limit.toNanos() + PART_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException ex) {
            String why = NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
            throw failed("The locks in Redis could not be listed: " + why, ex.getCause());
        } catch (TimeoutException ex) {
            part.cancel(false); // it may still wait for a thread
            throw failed("Redis did not answer within " + Printable.duration(this.limit), ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw failed("The thread was interrupted", ex);
        }
    }

    private static LockStoreException failed(String why, @Nullable Throwable cause) {
        return new LockStoreException(why + '.', cause, false, true);
    }

    private @Nullable Part scan(@Nullable String cursor, String text, int count) {
        long deadline = System.nanoTime() + PART_NANOS;
        Deque<Integer> nodes = firstSlots();
        String position = START;
        if (cursor != null) {
            int slot = Integer.parseInt(cursor.substring(0, cursor.indexOf('-')));
            position = cursor.substring(cursor.indexOf('-') + 1);
            nodes.removeIf(first -> first < slot);
        }
        Set<String> names = new LinkedHashSet<>();
        int keysPerCall = Math.min(count, MAX_KEYS);
        while (!nodes.isEmpty() && names.size() < count && System.nanoTime() - deadline < 0) {
            List<?> reply = call(nodes.element(), position, text, keysPerCall);
            if (reply.size() == 1) {
                return notPermitted(String.valueOf(reply.get(0)));
            }
            for (Object key : (List<?>) reply.get(1)) {
                String name = this.keys.nameOf(key.toString());
                // The pattern compares encoded names.
                if (name != null && name.contains(text)) {
                    names.add(name);
                }
            }
            position = reply.get(0).toString();
            if (position.equals(START)) {
                nodes.remove();
            }
            // Most keys do not belong to locks, or few locks have the text.
            keysPerCall = Math.min(2 * keysPerCall, MAX_KEYS);
        }
        return new Part(names, nodes.isEmpty() ? null : nodes.element() + "-" + position);
    }

    private List<?> call(int slot, String position, String text, int keysPerCall) {
        return this.redis.execute(
                SCRIPT,
                List.of(this.keysBySlot.computeIfAbsent(slot, this::keyIn)),
                position,
                pattern(text),
                String.valueOf(keysPerCall));
    }

    /** Returns null, unless the error is another one. */
    private static @Nullable Part notPermitted(String error) {
        // Inside of a script, the servers do not report the code NOPERM.
        if (DENIED.matcher(error).find()) {
            return null;
        }
        throw new IllegalStateException(Printable.of(error));
    }

    /** Returns the first slot of each master, in order; one slot without a cluster. */
    private Deque<Integer> firstSlots() {
        try (RedisConnection connection = this.factory.getConnection()) {
            if (!(connection instanceof RedisClusterConnection cluster)) {
                return new ArrayDeque<>(List.of(0));
            }
            SortedSet<Integer> slots = new TreeSet<>();
            for (RedisClusterNode node : cluster.clusterGetNodes()) {
                if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
                    slots.add(Collections.min(node.getSlotRange().getSlots()));
                }
            }
            return new ArrayDeque<>(slots);
        }
    }

    /** Returns a key in that slot that no lock has: empty braces are no hash tag, so that the whole key is hashed. */
    private String keyIn(int slot) {
        return IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(i -> this.keys.keyOf("") + i)
                .filter(key -> ClusterSlotHashUtil.calculateSlot(key) == slot)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the pattern of the keys of locks whose names contain the text. */
    private String pattern(String text) {
        String none = this.keys.keyOf("");
        String key = this.keys.keyOf(text);
        int start = none.length() - 1;
        return escaped(key.substring(0, start)) + '*' + escaped(key.substring(start, key.length() - 1)) + "*}";
    }

    private static String escaped(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
    }
}
