package io.github.lockstarter.registry;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions from their call to their end, on the thread of the caller, which a {@link
 * io.github.lockstarter.LockListener} cannot do. Nested holds of a thread are not acquisitions. Called by many threads
 * at the same time; an implementation must neither block nor throw.
 */
public interface AcquireObserver {

    /** Observes nothing. */
    AcquireObserver NONE = (request, instance) -> Acquiring.UNOBSERVED;

    /**
     * Called when an acquisition begins, on the thread of its caller.
     *
     * @param instance id of this instance
     * @return the observer of this acquisition, or {@link Acquiring#UNOBSERVED} if it is not observed
     */
    Acquiring began(LockRequest request, String instance);

    /** Observes one acquisition, which ends with exactly one call of {@link #granted} or {@link #notGranted}. */
    interface Acquiring {

        /** An observer that does nothing. */
        Acquiring UNOBSERVED = new Acquiring() {};

        /**
         * Called when the calling thread begins to work for this acquisition alone. Not called for asynchronous
         * acquisitions.
         */
        default void enter() {}

        /** Called before the end, by the thread that has called {@link #enter}. */
        default void leave() {}

        /**
         * Called when the lock was granted, by the thread that waited or by the thread that then completes the future.
         */
        default void granted(long fencingToken) {}

        /**
         * Called when the acquisition has ended without the lock, by the same thread as {@link #granted}.
         *
         * @param cause the failure, or {@code null} if the outcome is not an error or the failure is unknown
         * @param holder the instance that held the lock until the end of the wait, or {@code null} if there is none or
         *     it is unknown
         */
        default void notGranted(
                LockNotAcquiredEvent.Outcome outcome, @Nullable Throwable cause, @Nullable LockHolder holder) {}
    }
}
