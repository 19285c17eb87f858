package io.github.lockstarter.registry;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions from their call to their end, on the thread of the caller, which a
 * {@link io.github.lockstarter.LockListener} does not know. Nested holds of a thread are not acquisitions. Is called by
 * many threads at the same time, and must neither block nor throw.
 */
public interface AcquireObserver {

    /** Observes nothing. */
    AcquireObserver NONE = (request, instance) -> Acquiring.UNOBSERVED;

    /**
     * Is called when an acquisition begins, on the thread of its caller.
     *
     * @param instance id of this instance
     * @return the observer of this acquisition; {@link Acquiring#UNOBSERVED} if it is not observed
     */
    Acquiring began(LockRequest request, String instance);

    /** Observes one acquisition. It ends once, with one of the last two methods. */
    interface Acquiring {

        /** Does nothing. */
        Acquiring UNOBSERVED = new Acquiring() {};

        /** Is called when the calling thread begins to work for this acquisition alone; not for asynchronous ones. */
        default void enter() {}

        /** Is called by the thread that has entered, before the end. */
        default void leave() {}

        /**
         * Is called when the lock was granted, by the thread that waited, or by the one that then completes the future.
         */
        default void granted(long fencingToken) {}

        /**
         * Is called when the acquisition ended without the lock, by the same thread as {@link #granted}.
         *
         * @param cause the failure of the store; null unless the outcome is an error, and also then if it is unknown
         * @param holder the instance that held the lock; null unless the lock was held until the end of the wait, and
         *     also then if it is unknown
         */
        default void notGranted(
                LockNotAcquiredEvent.Outcome outcome, @Nullable Throwable cause, @Nullable LockHolder holder) {}
    }
}
