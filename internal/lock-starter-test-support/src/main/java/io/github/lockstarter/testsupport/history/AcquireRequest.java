package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The request of a worker for a lock.
 *
 * @param lock name of the lock, without blanks
 * @param waitTime how long to wait for it
 * @param lease its lease, which is not renewed, or {@code null} for the lease of the fleet
 */
public record AcquireRequest(
        String lock, Duration waitTime, @Nullable Duration lease) {}
