package io.github.lockstarter.lock;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock that waits: a thread, a future or a step of the simulation, which extend this class. The fields
 * that are not final belong to {@link LocalLock} and its queue, and are used only under the mutex of the lock.
 */
public abstract class Waiter {

    /** A wait without an end. */
    public static final long FOREVER = Moment.NEVER;

    public final GrantKind kind;

    /** Nanoseconds; 0: one attempt. */
    public final long waitTime;

    public final Terms terms;

    public final Owner owner;

    /** What the user has requested, for events and messages. */
    public final LockRequest request;

    /** When it entered its lock; 0: it has not. */
    public long enteredAt;

    /** The end of the wait; {@link Moment#NEVER}: none. */
    public long deadline;

    /** Position in the queue's heap of deadlines; -1: it is not in the queue. */
    int heapIndex = -1;

    /** The time by which the queue orders deadlines: the end of the wait, then the end of the grace period after it. */
    long heapKey;

    @Nullable
    Waiter previous;

    @Nullable
    Waiter next;

    public Waiter(LockRequest request, GrantKind kind, long waitTime, Terms terms, Owner owner) {
        this.request = request;
        this.kind = kind;
        this.waitTime = waitTime;
        this.terms = terms;
        this.owner = owner;
    }

    /** Returns whether the wait has not ended. */
    final boolean isQueued() {
        return this.heapIndex >= 0;
    }
}
