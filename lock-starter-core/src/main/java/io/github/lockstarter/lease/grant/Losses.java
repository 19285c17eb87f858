package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.TimingWheel;
import io.github.lockstarter.text.LoggedNames;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Declares grants lost, each of them once, and notifies all that depend on them: observers, hooks of the owner, and the
 * queue of this JVM. Safe for use by several threads; nothing here waits for the store.
 */
public final class Losses {

    private final LeaseClock clock;

    private final TimingWheel<Grant> watched;

    private final LeaseEvents events;

    private final InFlightCounter live;

    private final LossHandler handler;

    private final LoggedNames names;

    /** Hooks of the few grants that have any; they neither block nor throw. */
    private final ConcurrentMap<Grant, Set<Consumer<LossReason>>> hooks = new ConcurrentHashMap<>();

    private final AtomicLong count = new AtomicLong();

    private volatile LockHealth.@Nullable Loss last;

    private volatile boolean givenUp;

    public Losses(
            LeaseClock clock,
            TimingWheel<Grant> watched,
            LeaseEvents events,
            InFlightCounter live,
            LossHandler handler,
            LoggedNames names) {
        this.clock = clock;
        this.watched = watched;
        this.events = events;
        this.live = live;
        this.handler = handler;
        this.names = names;
    }

    /** Declares a live grant lost; does nothing if it has ended already. */
    public void declare(Grant grant, LossReason reason) {
        if (this.events.lost(grant, reason, () -> grant.lose(reason))) {
            this.watched.remove(grant);
            this.live.ended();
            notifyOwner(grant, reason);
            // Other callers in this JVM need not wait until the owner releases what it no longer has.
            this.handler.lost(grant, reason);
        }
    }

    /** Declares a grant lost whose release found that the store no longer has it. */
    public void declareInRelease(Grant grant, LossReason reason) {
        if (this.events.lost(grant, reason, () -> grant.loseInRelease(reason))) {
            notifyOwner(grant, reason);
        }
    }

    /** Declares the grant lost if it is live and its time has passed. May be called by any thread at any time. */
    public void check(Grant grant) {
        if (!grant.isLive()) {
            return;
        }
        if (grant.hasEnded(this.clock)) {
            declare(grant, grant.reasonOfEnd(this.clock.nanoTime()));
        } else if (this.givenUp) {
            declare(grant, LossReason.SHUTDOWN);
        }
    }

    /** Checks the grant and returns whether it is live after that. */
    public boolean isLive(Grant grant) {
        check(grant);
        return grant.isLive();
    }

    /** Checks the grant and returns the nanoseconds left of its lease; zero if it is not live. */
    public long remaining(Grant grant) {
        return isLive(grant) ? Math.max(0, grant.remaining(this.clock)) : 0;
    }

    /** Declares every grant that is still live lost at its next check, because none is renewed any more. */
    public void giveUpAll() {
        this.givenUp = true;
    }

    /** Returns whether {@link #giveUpAll()} has been called. */
    public boolean hasGivenUp() {
        return this.givenUp;
    }

    /** Returns the number of lost grants. */
    public long count() {
        return this.count.get();
    }

    /** Returns the last loss; null if there was none. */
    public LockHealth.@Nullable Loss last() {
        return this.last;
    }

    private void notifyOwner(Grant grant, LossReason reason) {
        this.count.incrementAndGet();
        this.last = new LockHealth.Loss(
                grant.request().name(), reason, Instant.ofEpochMilli(this.clock.currentTimeMillis()));
        Set<Consumer<LossReason>> all = this.hooks.remove(grant);
        if (all != null) {
            all.forEach(hook -> hook.accept(reason));
        }
    }

    /** Calls the hook when the grant is lost: at once if it is lost already, never if it was released. */
    public void onLoss(Grant grant, Consumer<LossReason> hook) {
        this.hooks.compute(grant, (key, present) -> {
            Set<Consumer<LossReason>> all = present != null ? present : ConcurrentHashMap.newKeySet();
            all.add(hook);
            return all;
        });
        GrantState state = grant.state();
        LossReason reason = state.lossReason();
        // A release in progress may still find that the lock is gone, so that its hooks stay.
        if ((reason != null || state == GrantState.RELEASED) && forget(grant, hook) && reason != null) {
            hook.accept(reason);
        }
    }

    /** Removes a hook; returns false if it has been called or is about to be called. */
    public boolean forget(Grant grant, Consumer<LossReason> hook) {
        Set<Consumer<LossReason>> all = this.hooks.get(grant);
        boolean removed = all != null && all.remove(hook);
        this.hooks.computeIfPresent(grant, (key, present) -> present.isEmpty() ? null : present);
        return removed;
    }

    /** Removes the hooks of a grant that ended without a loss. */
    public void forget(Grant grant) {
        if (!this.hooks.isEmpty()) {
            this.hooks.remove(grant);
        }
    }

    /** Creates the exception for the owner of a lost grant. */
    public LockLostException exception(Grant grant, LossReason reason) {
        return exception(grant, reason, "was lost: " + explanation(reason, grant));
    }

    /** Creates the exception for a lease that is shorter than its owner requires. */
    public LockLostException tooShort(Grant grant, long remainingMillis, long requiredMillis) {
        return exception(
                grant,
                LossReason.EXPIRED,
                "has " + remainingMillis + " ms left, less than the required " + requiredMillis + " ms.");
    }

    /** Returns the name of the lock as it appears in messages. */
    public String shownName(Grant grant) {
        return this.names.of(grant.lockName());
    }

    private LockLostException exception(Grant grant, LossReason reason, String what) {
        String message = "Lock '" + shownName(grant) + "' (fencing token " + grant.fencingToken() + ") " + what;
        return new LockLostException(message, grant.lockName(), grant.fencingToken(), reason);
    }

    private static String explanation(LossReason reason, Grant grant) {
        return switch (reason) {
            case EXPIRED ->
                LeaseTerms.isRenewed(grant.request())
                        ? "its lease expired, because no renewal succeeded in time. Check the store, and pauses of this JVM."
                        : "its fixed lease ended before the work. Request a longer lease, or a renewed one (-1).";
            case TAKEN_OVER ->
                "another acquisition owns it. The lease expired in the store earlier than by the clocks of this JVM,"
                        + " or the lock was unlocked by force.";
            case DELETED ->
                "it has no owner in the store. It was unlocked by force, deleted, evicted or lost in a failover:"
                        + " check the store's eviction policy and persistence.";
            case MAX_HOLD ->
                "it was held longer than its maxHold allows. Find out why the work takes so long, or raise maxHold.";
            case OWNER_DIED ->
                "its thread ended, or its lease became unreachable, without a release. Release it in a finally block.";
            case SHUTDOWN ->
                "the application stopped before the work under the lock had ended. Raise"
                        + " distributed-lock.shutdown-timeout if it should have waited longer.";
        };
    }
}
