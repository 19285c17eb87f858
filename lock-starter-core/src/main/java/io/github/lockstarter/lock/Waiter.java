package io.github.lockstarter.lock;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * A waiting request for a lock. A thread, a future and a step of the simulation extend this class. The fields that are
 * not final belong to {@link LocalLock} and its queue, and are used only under the mutex of the lock.
 */
public abstract class Waiter {

    /** The wait time without a limit. */
    public static final long FOREVER = Moment.NEVER;

    public final GrantKind kind;

    /** The longest wait in nanoseconds, or 0 for a single attempt. */
    public final long waitTime;

    public final Terms terms;

    public final Owner owner;

    /** The request of the user, for events and messages. */
    public final LockRequest request;

    /** Time at which the waiter has entered its lock, or 0 if it has not. */
    public long enteredAt;

    /** The end of the wait, or {@link Moment#NEVER} if there is none. */
    public long deadline;

    /** Whether the wait has not ended. */
    boolean isQueued;

    /**
     * Whether the waiter counts for the limit of waiters. It does not while its first attempt is under way, or if it
     * tries only once.
     */
    boolean isWaiting;

    /**
     * The time at which something is due for the waiter: the end of the wait, then the end of the grace period after
     * it.
     */
    long dueAt;

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
}
