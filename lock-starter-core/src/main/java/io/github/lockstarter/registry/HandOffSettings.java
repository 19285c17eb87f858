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

    public HandOffSettings {
        SettingRule.requireHandOffTime("handoff.max-time", maxTime, "10ms");
        SettingRule.requireHandOffCount("handoff.max-count", maxCount, "64");
    }
}
