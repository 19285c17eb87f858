package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lock as the store describes it.
 *
 * @param locked whether any instance holds the lock; null: the store did not answer
 * @param fencingToken token of the last grant by the store; null: unknown, or the lock is free
 * @param remaining time until the lease expires unless it is renewed; null: unknown, or the lock is free
 * @param holder the instance that holds the lock; null: unknown, or the lock is free
 * @param since time of the last grant by the store, by the clock of its server; null: unknown, or the lock is free
 * @param waiting number of instances that wait in the line of the store; null: unknown, or the lock is free
 * @param error why the store did not answer; null if it did
 */
record StoreDescription(
        @Nullable Boolean locked,
        @Nullable Long fencingToken,
        @Nullable Duration remaining,
        @Nullable LockHolder holder,
        @Nullable Instant since,
        @Nullable Integer waiting,
        @Nullable String error) {

    /** A lock whose store did not answer. */
    static StoreDescription failed(@Nullable String error) {
        return new StoreDescription(null, null, null, null, null, null, error);
    }

    /** A lock that is held. */
    static StoreDescription held(Stored stored) {
        return new StoreDescription(
                true,
                stored.fencingToken(),
                stored.remaining(),
                stored.holder(),
                stored.since(),
                stored.waiting(),
                null);
    }

    /** A lock that is free. */
    static final StoreDescription FREE = new StoreDescription(false, null, null, null, null, null, null);
}
