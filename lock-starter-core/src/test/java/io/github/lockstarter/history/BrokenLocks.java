package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/**
 * Locks on bare Redis commands, each with one of the mistakes that are made again and again, and right otherwise. They
 * poll, and are used by one thread.
 */
final class BrokenLocks {

    private static final Duration POLL = Duration.ofMillis(10);

    private static final String DELETE_OWN =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private BrokenLocks() {}

    /** Its lease is never renewed, and its owner never looks at the time. */
    static LockSource withoutRenewal(RedisCli redis, Duration lease) {
        return waiting(request -> take(
                redis, request, lease, sentAt -> sentAt + Duration.ofHours(1).toNanos(), true));
    }

    /** It counts its lease from the moment of the reply. */
    static LockSource countingFromTheReply(RedisCli redis, Duration lease) {
        return waiting(request -> take(redis, request, lease, sentAt -> System.nanoTime() + lease.toNanos(), true));
    }

    /** It counts its lease from the moment of the request, as it should be. */
    static LockSource countingFromTheRequest(RedisCli redis, Duration lease) {
        return waiting(request -> take(redis, request, lease, sentAt -> sentAt + lease.toNanos() * 9 / 10, true));
    }

    /** It deletes the key, whosever it is. */
    static LockSource releasingByDelete(RedisCli redis, Duration lease) {
        return waiting(request -> take(redis, request, lease, sentAt -> sentAt + lease.toNanos() * 9 / 10, false));
    }

    private static Lease take(
            RedisCli redis, LockRequest request, Duration lease, LongUnaryOperator until, boolean checksOwner) {
        String key = "broken:{" + request.lockName() + '}';
        String id = UUID.randomUUID().toString();
        long sentAt = System.nanoTime();
        Object reply = redis.command("SET", key, id, "NX", "PX", Long.toString(lease.toMillis()));
        if (reply == null) {
            return null;
        }
        BooleanSupplier giveBack = () -> Long.valueOf(1)
                .equals(checksOwner ? redis.command("EVAL", DELETE_OWN, "1", key, id) : redis.command("DEL", key));
        return new BrokenLease(request.lockName(), token(redis, request), until.applyAsLong(sentAt), giveBack);
    }

    /** The tokens of this one come from a counter in Redis. */
    private static long token(RedisCli redis, LockRequest request) {
        return (Long) Objects.requireNonNull(redis.command("INCR", "broken:token:" + request.lockName()));
    }

    /** It counts its holds in Redis, where a command that is executed twice counts twice. */
    static LockSource countingHolds(Function<List<String>, Object> redis, Duration lease) {
        String take = """
                if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
                  return 0
                end
                redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return redis.call('INCR', KEYS[1] .. ':token')
                """;
        String give = """
                if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then
                  redis.call('DEL', KEYS[1])
                end
                return 1
                """;
        return waiting(request -> {
            String key = "broken:{" + request.lockName() + '}';
            String thread = Thread.currentThread().getName() + System.identityHashCode(redis);
            long sentAt = System.nanoTime();
            Object token = redis.apply(List.of("EVAL", take, "1", key, thread, Long.toString(lease.toMillis())));
            if (Long.valueOf(0).equals(token)) {
                return null;
            }
            return new BrokenLease(
                    request.lockName(),
                    (Long) token,
                    sentAt + lease.toNanos() * 9 / 10,
                    () -> Long.valueOf(1).equals(redis.apply(List.of("EVAL", give, "1", key, thread))));
        });
    }

    private static LockSource waiting(Function<LockRequest, Lease> once) {
        return request -> {
            long end = System.nanoTime() + request.waitTime().toNanos();
            Lease lease = once.apply(request);
            while (lease == null && System.nanoTime() - end < 0) {
                Pause.of(POLL);
                lease = once.apply(request);
            }
            return Optional.ofNullable(lease);
        };
    }
}
