package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.worker.Worker;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A JVM holds the lock and is killed, another one waits: how long after the key has run out is it served? */
final class OwnerKilled {

    private static final int OWNER = 0;

    private static final int WAITER = 1;

    private static final int LOOKS = 51;

    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private OwnerKilled() {}

    /** The fleet loses its first worker. */
    static double millisAfterExpiry(Fleet fleet, RedisCli cli, Duration lease) throws InterruptedException {
        cli.flushall();
        String open = "open " + lease.toMillis();
        fleet.ask(OWNER, open);
        fleet.ask(WAITER, open);
        fleet.ask(OWNER, "take");
        int waiter = fleet.send(WAITER, "take");
        fleet.kill(OWNER);
        long expiry = expiryNanos(cli);
        long served = Long.parseLong(fleet.await(WAITER, waiter));
        return (served - expiry) / MILLI;
    }

    /** By {@link System#nanoTime()}, to a millisecond, which is what Redis tells. */
    private static long expiryNanos(RedisCli cli) {
        List<?> keys = (List<?>) Objects.requireNonNull(cli.command("KEYS", "*"));
        String key = keys.stream()
                .map(String::valueOf)
                .filter(candidate -> candidate.contains(Worker.ORPHAN))
                .findFirst()
                .orElseThrow();
        return LongStream.generate(() -> {
                    long left = TimeUnit.MILLISECONDS.toNanos(cli.pttl(key));
                    return System.nanoTime() + left;
                })
                .limit(LOOKS)
                .sorted()
                .skip(LOOKS / 2)
                .findFirst()
                .orElseThrow();
    }
}
