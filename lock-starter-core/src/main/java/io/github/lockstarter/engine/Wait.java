package io.github.lockstarter.engine;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.LocalLock;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Refusal.Cause;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.lock.Waiter;
import io.github.lockstarter.store.GrantKind;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a user to acquire a lock: a waiter that the {@link Engine} notifies, and also the input by which it
 * enters its lock.
 */
public abstract class Wait extends Waiter implements BiConsumer<LocalLock, Moment> {

    /** The cell of the lock that the wait has entered, or {@code null} before. Set by the engine. */
    Engine.@Nullable Cell cell;

    /** Whether its thread has failed with an error and no longer waits for the outcome. Written without the mutex. */
    volatile boolean isAbandoned;

    /** Whether this is a single attempt, whose caller gets no exception if others hold the lock. */
    public boolean isAttempt;

    /** Whether another wait of the same request continues this one, so that the end of this one is not reported. */
    public boolean isTentative;

    public Wait(LockRequest request, long waitTime, Terms terms, Owner owner) {
        super(request, GrantKind.of(request), waitTime, terms, owner);
    }

    @Override
    public final void accept(LocalLock lock, Moment now) {
        lock.enter(this, now);
    }

    /** Returns the outcome that observers are notified of if the wait has ended without a grant. */
    public final Outcome outcome(Refusal refusal) {
        boolean skips = this.isAttempt || this.request.onNotGranted() == OnNotGranted.SKIP;
        return skips && refusal.cause() == Cause.HELD_BY_OTHERS ? Outcome.SKIPPED : refusal.cause().outcome;
    }

    /**
     * The wait has ended with a grant, which is live unless it was lost in between. Called on any thread and without a
     * mutex, and again if an error has interrupted it. An implementation must neither block nor throw.
     */
    public abstract void granted(Grant grant, Effects.Way way);

    /** The wait has ended without a grant. The conditions of {@link #granted} apply. */
    public abstract void refused(Refusal refusal);
}
