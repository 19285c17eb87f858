package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.release.OrphanCleanup;
import io.github.lockstarter.lease.release.Releaser;
import io.github.lockstarter.lease.release.Succession;
import java.util.concurrent.CompletionStage;

/** The way of an acquisition into the local queue, and out of it without a grant. */
public final class QueueEntrance {

    private final LocalQueues<Grant> queues;

    private final SharedAdmission shared;

    private final Succession succession;

    private final Releaser releaser;

    public QueueEntrance(LocalQueues<Grant> queues, SharedAdmission shared, Succession succession, Releaser releaser) {
        this.queues = queues;
        this.shared = shared;
        this.succession = succession;
        this.releaser = releaser;
    }

    /**
     * Enters the queue. A reader that can join a grant of this JVM gets it at once, and a single attempt for a shared grant
     * asks at once: the first of the queue may be granted one at the same time, and so is no reason to refuse another.
     */
    QueueNode<Grant> enter(Acquisition acquisition) {
        String lockName = acquisition.request().lockName();
        Grant joined = acquisition.kind().mode() == LockMode.READ ? this.shared.join(acquisition) : null;
        if (joined != null || (acquisition.kind().isShared() && !acquisition.mayWait())) {
            return this.queues.outside(lockName, acquisition, joined);
        }
        return this.queues.enter(lockName, acquisition);
    }

    /** Leaves the queue before the call; returns false if it is too late. */
    boolean withdraw(QueueNode<Grant> node) {
        return this.queues.withdraw(node);
    }

    /** Passes a grant that was handed over to a waiter that has given up, and waits for the store. */
    void passOn(QueueNode<Grant> node, Grant grant) {
        node.settle();
        this.releaser.releaseUnused(grant);
    }

    /** As {@link #passOn(QueueNode, Grant)}, without waiting for the store. */
    CompletionStage<?> giveBack(QueueNode<Grant> node, Grant grant) {
        node.settle();
        return this.releaser.giveBack(grant);
    }

    /**
     * Leaves as the first of the queue without a grant. The node has no ticket if the registry was stopped before its call.
     *
     * @return completed when the ticket has left the store's line, or the store has failed to answer
     */
    CompletionStage<?> passOn(QueueNode<Grant> node) {
        LineTicket ticket = node.ticket();
        return ticket != null ? this.succession.passOn(node, ticket) : OrphanCleanup.NOTHING_TO_AWAIT;
    }
}
