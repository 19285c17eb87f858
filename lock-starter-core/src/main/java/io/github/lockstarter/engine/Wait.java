package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/** One acquisition of a user: a waiter that is notified by the {@link Engine}. */
abstract class Wait extends Waiter {

    /** The cell of the lock that it has entered; set by the engine. */
    Engine.@Nullable Cell cell;

    Wait(LockRequest request, long waitTime, Terms terms, Owner owner) {
        super(request, GrantKind.of(request), waitTime, terms, owner);
    }

    /**
     * The wait has ended with a grant, which is live unless it was lost in between. Called once, by any thread and outside of
     * mutexes; neither blocks nor throws.
     */
    abstract void granted(Grant grant, Effects.Way way);

    /** The wait has ended without a grant; otherwise as {@link #granted}. */
    abstract void refused(Refusal refusal);
}
