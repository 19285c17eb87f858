package io.github.lockstarter.lease.settings;

import java.time.Duration;

/**
 * Limits hand-offs of a lock between waiters of one JVM without the store, so that other JVMs get the lock as well.
 *
 * @param maxTime time since the last grant by the store, up to 10 s; zero: no hand-off
 * @param maxCount number of hand-offs in a row, at most 10,000; zero: no hand-off
 */
public record HandOffSettings(Duration maxTime, int maxCount) {

    /** 10 ms and 64 hand-offs: more lets other JVMs wait longer and gains little throughput. */
    public static final HandOffSettings DEFAULT = new HandOffSettings(Duration.ofMillis(10), 64);

    /**
     * Tokens must grow even if a server restarts without data: its first token is its time in microseconds, so that there
     * must be fewer hand-offs than microseconds between two grants of the store.
     */
    private static final int MOST = 10_000;

    public HandOffSettings {
        SettingRule.require(
                maxTime.compareTo(Duration.ZERO) >= 0 && maxTime.compareTo(Duration.ofSeconds(10)) <= 0,
                "handoff.max-time",
                maxTime,
                "must be zero (never hand over without the store) or a time up to 10s",
                "10ms");
        SettingRule.require(
                maxCount >= 0 && maxCount <= MOST,
                "handoff.max-count",
                maxCount,
                "must be zero (never hand over without the store) or at most " + MOST,
                "64");
    }
}
