package io.github.lockstarter.lease.support;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Converts what a store throws into the exceptions that callers get. */
public final class StoreFailures {

    private StoreFailures() {}

    /** Returns the exception of a stage without the {@link CompletionException} in which dependent stages get it. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /**
     * Returns the failure that the store reported, or one with an unknown outcome for any other exception.
     *
     * @param shownName name of the lock in messages
     */
    public static LockStoreException of(String shownName, @Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockStoreException known) {
                return known;
            }
        }
        return new LockStoreException("The store of lock '" + shownName + "' failed: " + thrown, thrown, true, false);
    }
}
