package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Failures of the store as callers see them. */
final class StoreFailures {

    private StoreFailures() {}

    /** What a stage failed with, without the exception in which dependent stages see it. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /**
     * The failure that the store reported; one whose outcome is unknown for anything else that it threw.
     *
     * @param shownName what messages call the lock
     */
    static LockStoreException of(String shownName, @Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockStoreException known) {
                return known;
            }
        }
        return new LockStoreException("The store of lock '" + shownName + "' failed: " + thrown, thrown, true, false);
    }
}
