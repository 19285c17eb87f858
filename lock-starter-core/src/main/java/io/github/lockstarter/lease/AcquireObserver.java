package io.github.lockstarter.lease;

import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Follows acquisitions from their call to their end, and so knows what a
 * {@link io.github.lockstarter.LockListener} is not told: who called. Nested holds of a thread are no acquisitions. It is
 * called by the threads that acquire, by many at the same time, and must neither block nor throw.
 */
public interface AcquireObserver {

    /**
     * An acquisition begins, on the thread of its caller.
     *
     * @return what hears of its end; null if nobody wants to know
     */
    @Nullable
    Acquiring began(LockRequest request);

    /** One acquisition on its way. It ends once, by one of the last two methods. */
    interface Acquiring {

        /** The calling thread works for this acquisition alone from now on. Not called for asynchronous ones. */
        void enter();

        /** The thread that has entered has done its work; comes before the end. */
        void leave();

        /** The lock was granted; told by the thread that waited, or before the future is completed. */
        void granted(long fencingToken);

        /**
         * The acquisition ended without the lock.
         *
         * @param cause what nobody could answer for; null unless the outcome is an error, and then too if it is unknown
         */
        void notGranted(LockNotAcquiredEvent.Outcome outcome, @Nullable Throwable cause);
    }
}
