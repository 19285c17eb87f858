package io.github.lockstarter.lease.event;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.lease.support.LogQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that observe the events of one run of a registry.
 *
 * @param meters called at once, on the thread of the event; null: none
 * @param lines writes the events that owners must know of into the log
 * @param log the thread of {@code lines}
 * @param listeners beans of the application
 * @param listenerQueue the thread of {@code listeners}
 */
public record EventObservers(
        @Nullable MeterListener meters,
        LockListener lines,
        LogQueue log,
        List<LockListener> listeners,
        ListenerQueue listenerQueue) {}
