package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.ThreadNames;
import org.jspecify.annotations.Nullable;

/**
 * Determines which instance holds the lock of an acquisition that is refused, without I/O: a grant of this JVM is in the
 * local queue, and another owner is the one that the store has named to a waiter.
 */
public final class LockHolders {

    /**
     * A holder.
     *
     * @param holder null: unknown
     * @param text how messages name it after "held by"
     */
    record Found(@Nullable LockHolder holder, String text) {

        private static final Found UNKNOWN = new Found(null, "another owner");
    }

    private final LocalQueues<Grant> queues;

    private final Losses losses;

    private final InstanceDirectory directory;

    public LockHolders(LocalQueues<Grant> queues, Losses losses, InstanceDirectory directory) {
        this.queues = queues;
        this.losses = losses;
        this.directory = directory;
    }

    /** Returns the id of this instance. */
    String ownInstance() {
        return this.directory.own().instance();
    }

    Found of(Acquisition acquisition) {
        QueueNode<Grant> first = this.queues.first(acquisition.request().lockName());
        Grant grant = first != null ? first.grant() : null;
        if (grant != null && this.losses.isLive(grant)) {
            Thread owner = grant.owner();
            String thread = owner != null ? ", thread '" + ThreadNames.of(owner) + "'" : "";
            return new Found(this.directory.own(), "this instance" + thread);
        }
        String holderId = acquisition.holderId();
        if (holderId == null && first != null && first.waiter() instanceof Acquisition asking) {
            // The first of the queue asks for all of them.
            holderId = asking.holderId();
        }
        return holderId != null ? of(this.directory.of(holderId)) : Found.UNKNOWN;
    }

    private Found of(LockHolder holder) {
        if (this.directory.isOwn(holder)) {
            return new Found(holder, "this instance");
        }
        return new Found(holder, (holder.application() == null ? "instance " : "") + holder);
    }
}
