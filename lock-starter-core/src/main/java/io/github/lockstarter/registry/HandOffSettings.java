package io.github.lockstarter.registry;

import io.github.lockstarter.named.SettingRule;
import java.time.Duration;

/**
 * Limits the hand-offs of a lock between waiters of one JVM without the store. Other JVMs get the lock after them.
 *
 * @param maxTime time since the last grant by the store, up to 10 s; zero disables hand-offs
 * @param maxCount number of hand-offs in a row, at most 10,000; zero disables hand-offs
 */
public record HandOffSettings(Duration maxTime, int maxCount) {

    /**
     * The default limits, 10 ms and 64 hand-offs. With higher limits, other JVMs wait longer and throughput hardly
     * increases.
     */
    public static final HandOffSettings DEFAULT = new HandOffSettings(Duration.ofMillis(10), 64);

    /**
     * Tokens must grow even if a server restarts without data: its first token is its time in microseconds. Between two
     * grants of the store, there must therefore be fewer hand-offs than microseconds.
     */
    private static final int MAX_COUNT = 10_000;

    public HandOffSettings {
        SettingRule.require(
                !maxTime.isNegative() && maxTime.compareTo(Duration.ofSeconds(10)) <= 0,
                "handoff.max-time",
                maxTime,
                "must be zero (never hand over without the store) or a time up to 10s",
                "10ms");
        SettingRule.require(
                maxCount >= 0 && maxCount <= MAX_COUNT,
                "handoff.max-count",
                maxCount,
                "must be zero (never hand over without the store) or at most " + MAX_COUNT,
                "64");
    }
}
