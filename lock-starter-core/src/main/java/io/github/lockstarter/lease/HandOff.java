package io.github.lockstarter.lease;

import java.time.Duration;

/**
 * How long a lock may go from one waiter of this JVM to the next without the store, so that other JVMs get their turn.
 *
 * @param maxTime since the last grant by the store; zero: never
 * @param maxCount times in a row, at most 10,000; zero: never
 */
public record HandOff(Duration maxTime, int maxCount) {

    /** Ten milliseconds and 64 times: longer makes others wait longer and is hardly faster. */
    public static final HandOff DEFAULT = new HandOff(Duration.ofMillis(10), 64);

    /** A server that comes back empty must be slower, in microseconds, than there were hand-overs, for tokens to grow. */
    private static final int MOST = 10_000;

    public HandOff {
        LockSettings.require(
                maxTime.compareTo(Duration.ZERO) >= 0 && maxTime.compareTo(Duration.ofSeconds(10)) <= 0,
                "handoff.max-time",
                maxTime,
                "must be zero (never hand over without the store) or a time up to 10s",
                "10ms");
        LockSettings.require(
                maxCount >= 0 && maxCount <= MOST,
                "handoff.max-count",
                maxCount,
                "must be zero (never hand over without the store) or at most " + MOST,
                "64");
    }
}
