package io.github.lockstarter.registry;

import io.github.lockstarter.named.SettingRule;
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

    public HandOffSettings {
        SettingRule.requireHandOffTime("handoff.max-time", maxTime, "10ms");
        SettingRule.requireHandOffCount("handoff.max-count", maxCount, "64");
    }
}
