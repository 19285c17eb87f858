package io.github.lockstarter.lease.release;

import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseEvents;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.text.LockLog;

/** Ends grants according to the outcome of their release, and reports it. */
public final class ReleaseOutcomes {

    private static final LockLog logger = LockLog.of(ReleaseOutcomes.class);

    private final LeaseEvents events;

    private final Losses losses;

    private final InFlightCounter live;

    private final OrphanCleanup cleanup;

    private final LogQueue log;

    public ReleaseOutcomes(
            LeaseEvents events, Losses losses, InFlightCounter live, OrphanCleanup cleanup, LogQueue log) {
        this.events = events;
        this.losses = losses;
        this.live = live;
        this.cleanup = cleanup;
        this.log = log;
    }

    /**
     * Ends the grant after a reply of the store.
     *
     * @param repeated whether the command was sent more than once, so that "not the owner" may be due to the first time
     * @return false if the lock was lost
     */
    boolean answered(Grant grant, ReleaseReply reply, boolean repeated) {
        boolean ours = reply.isReleased() || reply.outcome() == ReleaseReply.Outcome.UNPROVEN || repeated;
        // Also if the lease ended before the release arrived: an acquire command without a reply may be executed later.
        this.cleanup.ofUnanswered(grant);
        if (ours) {
            this.events.released(grant, Outcome.RELEASED, null);
        } else {
            boolean gone = reply.outcome() == ReleaseReply.Outcome.GONE;
            this.losses.declareInRelease(grant, gone ? LossReason.DELETED : LossReason.TAKEN_OVER);
            boolean unused = grant.settle();
            this.events.released(grant, Outcome.LOST, null);
        }
        end(grant);
        return ours;
    }

    /** Ends the grant after a release without a reply, which is repeated in the background. */
    void unanswered(Grant grant, Throwable failure) {
        this.log.add(() -> logger.warn("Lock '" + this.losses.shownName(grant) + "' could not be released yet: "
                + failure.getMessage()
                + " The release is repeated in the background; at worst the lease expires."));
        this.cleanup.ofGrant(grant);
        this.events.released(grant, Outcome.ERROR, failure);
        end(grant);
    }

    /** Ends the grant after a failure to apply its minimum hold; the lock is not released before the lease ends. */
    void unansweredHold(Grant grant, Throwable failure) {
        this.log.add(() -> logger.warn("The minimum hold of lock '" + this.losses.shownName(grant)
                + "' could not be applied: " + failure.getMessage() + " The lock expires with its lease."));
        this.events.released(grant, Outcome.ERROR, failure);
        end(grant);
    }

    /** Ends the grant after a hand-off; its successor takes its place among the live grants. */
    void handedOff(Grant grant) {
        grant.endRelease();
        this.losses.forget(grant);
        this.events.released(grant, Outcome.RELEASED, null);
    }

    /** Returns the name of the lock as it appears in messages. */
    String shownName(Grant grant) {
        return this.losses.shownName(grant);
    }

    /** Ends the grant of a writer that has become a reader. */
    void downgraded(Grant grant) {
        // An acquire command without a reply may be executed when the reader has gone.
        this.cleanup.ofUnanswered(grant);
        left(grant);
    }

    /** Ends a grant after which the store still has one of this JVM: of other readers, or of the reader that it becomes. */
    void left(Grant grant) {
        this.events.released(grant, Outcome.RELEASED, null);
        end(grant);
    }

    private void end(Grant grant) {
        grant.endRelease();
        this.losses.forget(grant);
        this.live.ended();
    }
}
