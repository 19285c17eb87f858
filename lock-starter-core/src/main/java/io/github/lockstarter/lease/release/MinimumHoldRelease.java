package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.StoreFailures;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Releases grants before the end of their minimum hold: the owner is done, but the lock is granted to no other owner until
 * it expires at the end of the minimum hold.
 */
public final class MinimumHoldRelease {

    private final LockStore store;

    private final LockThreads threads;

    private final ReleaseOutcomes outcomes;

    private final Succession succession;

    private final LeaseClock clock;

    public MinimumHoldRelease(
            LockStore store, LockThreads threads, ReleaseOutcomes outcomes, Succession succession, LeaseClock clock) {
        this.store = store;
        this.threads = threads;
        this.outcomes = outcomes;
        this.succession = succession;
        this.clock = clock;
    }

    /** Returns the milliseconds for which the lock must stay taken after a release at this moment; 0: not at all. */
    long millisLeft(Grant grant) {
        return millisUntil(grant.keptUntil());
    }

    /** Returns the same for members of a group of readers that have left before this last one. */
    long groupMillisLeft(Grant grant) {
        return grant instanceof SharedGrant shared ? millisUntil(shared.groupKeptUntil()) : 0;
    }

    /** Notes how long the last member of the group must keep the lock taken, because this one leaves before that. */
    void keepGroup(SharedGrant grant, long keepMillis) {
        if (keepMillis > 0) {
            grant.keepGroupUntil(this.clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(keepMillis));
        }
    }

    private long millisUntil(long keptUntil) {
        if (keptUntil == Grant.NOT_KEPT) {
            return 0;
        }
        long left = keptUntil - this.clock.nanoTime();
        // Rounded up, or the lock would be free a moment too early.
        return left > 0 ? TimeUnit.NANOSECONDS.toMillis(left) + 1 : 0;
    }

    /** Releases and waits for the reply; returns false if the lock was lost. */
    boolean await(Grant grant, long keepMillis) {
        boolean repeated = false;
        try (InterruptShield shield = new InterruptShield()) {
            while (true) {
                ReleaseReply reply;
                try {
                    reply = this.store.keep(grant.lockName(), grant.acquisitionId(), keepMillis);
                } catch (RuntimeException | Error ex) {
                    if (shield.caught()) {
                        repeated = true;
                        continue;
                    }
                    return failed(grant, ex);
                }
                // Executed twice, the first execution may have kept the lock, which has expired since then.
                return this.outcomes.answered(grant, reply, repeated);
            }
        } finally {
            this.succession.callNext(grant);
        }
    }

    /**
     * Releases without waiting for the reply.
     *
     * @return completed with what {@link #await} would return, on a thread that must not be blocked
     */
    CompletionStage<Boolean> send(Grant grant, long keepMillis) {
        CompletionStage<ReleaseReply> reply;
        try {
            reply = this.store.keepLater(grant.lockName(), grant.acquisitionId(), keepMillis);
        } catch (RuntimeException | Error ex) {
            this.succession.callNext(grant);
            return CompletableFuture.completedStage(failed(grant, ex));
        }
        if (reply == null) {
            return this.threads.release(() -> await(grant, keepMillis));
        }
        return reply.handle((answer, failure) -> {
            try {
                return failure == null
                        ? this.outcomes.answered(grant, answer, false)
                        : failed(grant, StoreFailures.unwrapped(failure));
            } finally {
                // The next waiter of this JVM asks the store, which answers how long the lock stays taken.
                this.succession.callNext(grant);
            }
        });
    }

    private boolean failed(Grant grant, Throwable failure) {
        this.outcomes.unansweredHold(grant, failure);
        return true;
    }
}
