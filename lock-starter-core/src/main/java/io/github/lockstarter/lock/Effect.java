package io.github.lockstarter.lock;

import org.jspecify.annotations.Nullable;

/**
 * An action that a lock requests. Effects are linked to a chain, because a chain can be kept without an allocation.
 *
 * @see Delivery
 */
public abstract class Effect {

    @Nullable
    public Effect next;

    /** Lets the driver perform the action. Called again if it has thrown an exception. */
    public abstract void execute(Effects driver);
}
