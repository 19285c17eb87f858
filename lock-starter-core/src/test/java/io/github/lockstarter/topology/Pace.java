package io.github.lockstarter.topology;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.LockSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;

/**
 * The times of an instance.
 *
 * @param lease of renewed locks
 * @param renewInterval from one renewal to the next
 * @param commandTimeout time a command may take
 * @param pollInterval how often a waiter looks, at least
 */
record Pace(Duration lease, Duration renewInterval, Duration commandTimeout, Duration pollInterval) {

    /** Outlives a failover, which takes between two and five seconds. */
    static final Pace PATIENT = of(Duration.ofSeconds(12), Duration.ofMillis(500));

    /** Does not. */
    static final Pace SHORT = of(Duration.ofMillis(1500), Duration.ofMillis(300));

    static Pace of(Duration lease, Duration renewInterval) {
        return new Pace(lease, renewInterval, Duration.ofMillis(400), Duration.ofMillis(150));
    }

    /** Nobody looks by itself: only who is called comes. */
    Pace withoutPolling() {
        return new Pace(this.lease, this.renewInterval, Duration.ofSeconds(4), Duration.ofSeconds(30));
    }

    RedisStoreSettings store() {
        return new RedisStoreSettings("lock", this.commandTimeout, true, this.pollInterval);
    }

    LockSettings locks() {
        return LockSettings.of(
                Duration.ofMinutes(1),
                OnLost.THROW,
                this.lease,
                this.renewInterval,
                null,
                this.commandTimeout,
                this.pollInterval,
                Duration.ZERO);
    }
}
