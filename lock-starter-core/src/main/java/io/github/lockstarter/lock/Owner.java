package io.github.lockstarter.lock;

/** The owner of a grant, as far as the engine must know it. */
public interface Owner {

    /** An owner that is no thread. */
    Owner NONE = () -> true;

    /**
     * Returns whether the owner can still release the grant. Called under the mutex of the lock, so it only reads a
     * state.
     */
    boolean isAlive();
}
