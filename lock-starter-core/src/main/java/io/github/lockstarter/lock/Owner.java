package io.github.lockstarter.lock;

/** The owner of a grant, reduced to what the engine needs. */
public interface Owner {

    /** An owner that is not a thread and never dies. */
    Owner NONE = () -> true;

    /**
     * Returns whether the owner can still release the grant. Called under the mutex of the lock; an implementation only
     * reads a state.
     */
    boolean isAlive();
}
