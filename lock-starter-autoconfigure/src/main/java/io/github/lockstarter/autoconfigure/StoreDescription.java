package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockInventory.StoredWaiter;
import io.github.lockstarter.LockMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock as the store describes it.
 *
 * @param locked whether any instance holds the lock, or {@code null} if the store did not answer
 * @param mode mode of the present grants, or {@code null} if it is unknown or the lock is free
 * @param permits number of permits that are held, or {@code null} if the lock is free or is no semaphore
 * @param fencingToken token of the last grant by the store, or {@code null} if it is unknown or the lock is free
 * @param remaining time until the lease expires unless it is renewed, or {@code null} if it is unknown or the lock is
 *     free
 * @param holder the instance that holds the lock, the first one if there are several, or {@code null} if it is unknown
 *     or the lock is free
 * @param since time of the last grant by the store, by the clock of its server, or {@code null} if it is unknown or the
 *     lock is free
 * @param waiting number of entries in the line of the store, or {@code null} if it is unknown or the lock is free
 * @param line the first entries of the line in the order of arrival, or {@code null} if it is empty or unknown
 * @param holders the holders of a shared lock in the order of their grants, or {@code null} if the lock is not shared
 * @param error why the store did not answer, or {@code null} if it did
 */
record StoreDescription(
        @Nullable Boolean locked,
        @Nullable LockMode mode,
        @Nullable Long permits,
        @Nullable Long fencingToken,
        @Nullable Duration remaining,
        @Nullable LockHolder holder,
        @Nullable Instant since,
        @Nullable Integer waiting,
        @Nullable List<StoredWaiter> line,
        @Nullable List<StoredGrant> holders,
        @Nullable String error) {

    /** A lock whose store did not answer. */
    static StoreDescription failed(@Nullable String error) {
        return new StoreDescription(null, null, null, null, null, null, null, null, null, null, error);
    }

    /** A lock that is held. */
    static StoreDescription held(Stored stored) {
        return new StoreDescription(
                true,
                stored.mode(),
                stored.mode() == LockMode.PERMIT
                        ? Long.valueOf(stored.holders().stream()
                                .mapToLong(StoredGrant::permits)
                                .sum())
                        : null,
                stored.fencingToken(),
                stored.remaining(),
                stored.holder(),
                stored.since(),
                stored.waiting(),
                stored.line().isEmpty() ? null : stored.line(),
                stored.holders().isEmpty() ? null : stored.holders(),
                null);
    }

    /** A lock that is free. */
    static final StoreDescription FREE =
            new StoreDescription(false, null, null, null, null, null, null, null, null, null, null);
}
