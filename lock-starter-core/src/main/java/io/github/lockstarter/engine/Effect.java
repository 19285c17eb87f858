package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/** Something that a lock wants to happen, in a chain of such: linked, because a chain can be kept without allocating. */
abstract class Effect {

    @Nullable
    Effect next;

    /** Has the driver do it. May be called again if it has thrown. */
    abstract void execute(Effects driver);
}
