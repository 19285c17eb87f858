package io.github.lockstarter.testsupport;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting until servers are as they should be. */
final class Awaiting {

    /** For what takes seconds on a machine that is busy with other things. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(20);

    private Awaiting() {}

    /** Waits until it is so; a server that cannot be asked, or does not know, means: not yet. */
    static void until(String what, BooleanSupplier condition) {
        until(what, LIMIT, condition);
    }

    static void until(String what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            RuntimeException trouble = null;
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (UncheckedIOException | RedisErrorException e) {
                trouble = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Not within " + limit + ": " + what, trouble);
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }
}
