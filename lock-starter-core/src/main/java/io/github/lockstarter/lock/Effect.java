package io.github.lockstarter.lock;

import org.jspecify.annotations.Nullable;

/**
 * Something that a lock wants to happen, in a chain of such: linked, because a chain can be kept without allocating.
 */
public abstract class Effect {

    @Nullable
    public Effect next;

    /** Has the driver do it. May be called again if it has thrown. */
    public abstract void execute(Effects driver);
}
