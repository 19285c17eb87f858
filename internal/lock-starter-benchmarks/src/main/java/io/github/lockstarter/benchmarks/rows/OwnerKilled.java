package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A JVM holds the lock and is killed, another one waits: how long after the key has run out is it served? */
final class OwnerKilled {

    private static final int OWNER = 0;

    private static final int WAITER = 1;

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
        long expiry = LeaseEnd.nanos(cli);
        long served = Long.parseLong(fleet.await(WAITER, waiter));
        return (served - expiry) / MILLI;
    }
}
