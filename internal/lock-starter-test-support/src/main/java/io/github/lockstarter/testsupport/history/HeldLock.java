package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import java.util.function.Consumer;

/** A lock that was granted, used by the thread that acquired it. */
public interface HeldLock {

    /** The token of a lock that has no fencing tokens. */
    long NO_TOKEN = 0;

    /** Returns the fencing token, or {@link #NO_TOKEN}. */
    default long token() {
        return NO_TOKEN;
    }

    /**
     * Returns for how long the owner may rely on the lock without another look, by what the library promises; zero if
     * it may not.
     */
    Duration remaining();

    /** Returns whether the library has a check that reports whether the lock is held. */
    default boolean hasCheck() {
        return true;
    }

    /**
     * Returns whether the library reports the lock as held. Is not called without a {@linkplain #hasCheck() check}.
     *
     * @throws LockFailureException if the library could not check it
     */
    boolean isHeld();

    /** Calls the listener with a reason when the library notifies the owner of a loss, if it offers that. */
    default void onLoss(Consumer<String> listener) {}

    /**
     * Releases the lock.
     *
     * @return whether it was held until then, as far as the library reports that
     * @throws LockFailureException if the library could not release it
     */
    boolean release();
}
