package io.github.lockstarter.registry;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;

/**
 * Records meters. All methods, including the methods of {@link LockListener}, are called immediately on the thread of
 * the event, and must neither block nor throw.
 */
public interface MeterListener extends LockListener {

    /** Called when the caller of an acquisition begins to wait. */
    default void waitBegan(LockRequest request) {}

    /** Called once after {@link #waitBegan}, when the wait has ended with or without a grant. */
    default void waitEnded(LockRequest request) {}
}
