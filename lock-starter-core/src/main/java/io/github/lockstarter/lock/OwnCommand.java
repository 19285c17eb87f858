package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;

/**
 * Selects the command that the caller of an input executes itself, on its own thread.
 *
 * @see Delivery#input
 */
public interface OwnCommand {

    /**
     * Returns whether the caller executes the given command. Called under the mutex of the lock, until one command is
     * selected.
     */
    boolean takes(Sent sent);

    /**
     * Returns whether an interrupt ends the command. Otherwise the command is repeated after an interrupt, and the
     * interrupt status is restored afterwards.
     */
    default boolean isInterruptible() {
        return false;
    }

    /** Reports that the command has failed. */
    @SuppressWarnings("UnusedVariable") // most callers see the failure in the state of their grant
    default void failed(LockStoreException cause) {}
}
