package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.ThreadNames;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * Determines which instance holds the lock of an acquisition that is refused, without I/O: the owner of a grant of this JVM is
 * known, and other holders are those that the store has named to a waiter.
 */
public final class LockHolders {

    /**
     * What is known of the holders.
     *
     * @param holder one of them; null: unknown
     * @param text how messages go on after the name of the lock
     */
    record Found(@Nullable LockHolder holder, String text) {}

    private final LocalQueues<Grant> queues;

    private final SharedGrants shared;

    private final Losses losses;

    private final InstanceDirectory directory;

    public LockHolders(LocalQueues<Grant> queues, SharedGrants shared, Losses losses, InstanceDirectory directory) {
        this.queues = queues;
        this.shared = shared;
        this.losses = losses;
        this.directory = directory;
    }

    /** Returns the id of this instance. */
    String ownInstance() {
        return this.directory.own().instance();
    }

    Found of(Acquisition acquisition) {
        LockRequest request = acquisition.request();
        QueueNode<Grant> first = this.queues.first(request.lockName());
        Grant grant = first != null ? first.grant() : null;
        if (grant != null && this.losses.isLive(grant)) {
            Thread owner = grant.owner();
            String thread = owner != null ? ", thread '" + ThreadNames.of(owner) + "'" : "";
            return new Found(this.directory.own(), "is held by this instance" + thread);
        }
        AcquireReply.Taken refusal = refusal(acquisition);
        String owner = refusal != null ? refusal.owner() : null;
        if (refusal == null || owner == null) {
            return undescribed(request);
        }
        LockHolder holder = this.directory.of(owner);
        return new Found(
                holder,
                refusal.used() == 0
                        ? "is held by " + text(holder)
                        : sharedText(request, refusal.used(), owner, holder));
    }

    /** Returns the refusal of this acquisition, or of the one that asks for its queue. */
    private AcquireReply.@Nullable Taken refusal(Acquisition acquisition) {
        AcquireReply.Taken refusal = acquisition.refusal();
        if (refusal != null) {
            return refusal;
        }
        QueueNode<Grant> first = this.queues.first(acquisition.request().lockName(), acquisition.kind());
        return first != null && first.waiter() instanceof Acquisition asking ? asking.refusal() : null;
    }

    private Found undescribed(LockRequest request) {
        boolean heldHere = this.shared.isHeld(request.lockName());
        LockHolder holder = heldHere ? this.directory.own() : null;
        if (request.mode() == LockMode.PERMIT) {
            String refused = "did not grant " + request.weight() + " of " + request.permits() + " permits, which ";
            return new Found(
                    holder, refused + (heldHere ? "this instance and perhaps others hold" : "others hold or wait for"));
        }
        return new Found(
                holder, heldHere ? "is held by readers, one of them this instance" : "is held by another owner");
    }

    private String sharedText(LockRequest request, int used, String owner, LockHolder holder) {
        String text;
        boolean fits;
        GrantKind kind = GrantKind.of(owner);
        if (kind.mode() == LockMode.PERMIT) {
            text = "has " + used + " of " + request.permits() + " permits in use"
                    + (kind.weight() == used ? " by " : ", one of the holders is ") + text(holder);
            fits = request.weight() <= request.permits() - used;
        } else {
            text = "is held by " + (used == 1 ? "a reader, " : used + " readers, one of them ") + text(holder);
            fits = request.mode() == LockMode.READ;
        }
        // Beside these holders it would be granted, if it were the first in the line.
        return fits ? text + ", and earlier requests wait" : text;
    }

    private String text(LockHolder holder) {
        if (this.directory.isOwn(holder)) {
            return "this instance";
        }
        return (holder.application() == null ? "instance " : "") + holder;
    }
}
