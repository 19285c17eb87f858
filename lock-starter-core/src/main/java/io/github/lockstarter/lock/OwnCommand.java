package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;

/** The command that the caller of an input executes itself, on its own thread. */
public interface OwnCommand {

    /** Returns whether the caller executes this command. Called under the mutex of the lock, until one is found. */
    boolean takes(Sent sent);

    /** Returns whether an interrupt ends the command. Otherwise the command is repeated, and the interrupt deferred. */
    default boolean isInterruptible() {
        return false;
    }

    /** The command has failed. */
    @SuppressWarnings("UnusedVariable") // most callers see the failure in the state of their grant
    default void failed(LockStoreException cause) {}
}
