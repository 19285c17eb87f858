package io.github.lockstarter.registry;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;

/**
 * Records meters. Its methods, those of {@link LockListener} included, are called at once, on the thread of the event,
 * and must neither block nor throw.
 */
public interface MeterListener extends LockListener {

    /** Called when the caller of an acquisition begins to wait. */
    default void waitBegan(LockRequest request) {}

    /** Called once after {@link #waitBegan}, when the wait is over in any way. */
    default void waitEnded(LockRequest request) {}
}
