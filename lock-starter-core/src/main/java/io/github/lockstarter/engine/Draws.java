package io.github.lockstarter.engine;

import io.github.lockstarter.store.GrantKind;

/** Draws random values, so that a simulation can draw the same ones again. */
interface Draws {

    /** Returns an acquisition id that states the kind, and that was never drawn before. */
    String id(GrantKind kind);

    /** Returns a number from 0 to the bound, without the bound. */
    long below(long bound);
}
