package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lock as the store describes it.
 *
 * @param locked whether any instance holds the lock; null: the store did not answer
 * @param fencingToken token of the last grant by the store; null: unknown, or the lock is free
 * @param remaining time until the lease expires unless it is renewed; null: unknown, or the lock is free
 * @param error why the store did not answer; null if it did
 */
record StoreDescription(
        @Nullable Boolean locked,
        @Nullable Long fencingToken,
        @Nullable Duration remaining,
        @Nullable String error) {

    /** A lock that is free. */
    static final StoreDescription FREE = new StoreDescription(false, null, null, null);
}
