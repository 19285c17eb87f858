package io.github.lockstarter.benchmarks.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to open a contender.
 *
 * @param port of Redis, on the loopback interface
 * @param lease how long a lock lives without renewal; null: the contender's default
 * @param use what for
 */
public record ClientSettings(int port, @Nullable Duration lease, Use use) {

    static final String HOST = "127.0.0.1";

    Duration leaseOr(Duration defaultLease) {
        return this.lease != null ? this.lease : defaultLease;
    }
}
