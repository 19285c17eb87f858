package io.github.lockstarter.lease.release;

import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseEvents;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.queue.LocalQueues;

/** Releases grants that have ended before: by a loss, or by an earlier release. */
public final class LostGrantRelease {

    private final LocalQueues<Grant> queues;

    private final OrphanCleanup cleanup;

    private final LeaseEvents events;

    public LostGrantRelease(LocalQueues<Grant> queues, OrphanCleanup cleanup, LeaseEvents events) {
        this.queues = queues;
        this.cleanup = cleanup;
        this.events = events;
    }

    /** Releases the grant; returns false if it was lost. */
    boolean release(Grant grant) {
        LossReason reason = grant.state().lossReason();
        if (reason == null) {
            return true;
        }
        // The thread that declares the loss may not have removed the node yet, and the owner may lock again at once.
        this.queues.leave(grant.lockName(), grant);
        if (grant.settle()) {
            if (grant instanceof SharedGrant shared && !shared.wasLast()) {
                // Other readers of this JVM still rely on the acquisition.
                this.events.released(grant, Outcome.LOST, null);
                return false;
            }
            // The lease has ended by the clocks of this JVM, but perhaps not in the store; as the owner is done, other
            // owners need not wait for that.
            if (reason == LossReason.EXPIRED || reason == LossReason.MAX_HOLD) {
                this.cleanup.ofGrant(grant);
            } else {
                this.cleanup.ofUnanswered(grant);
            }
            this.events.released(grant, Outcome.LOST, null);
        }
        return false;
    }
}
