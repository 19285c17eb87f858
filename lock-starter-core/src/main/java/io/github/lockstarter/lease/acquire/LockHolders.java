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
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import java.util.Comparator;
import java.util.List;
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

    /** Returns the acquisition that was granted first among the holders of a lock. */
    static String firstOf(StoredLock lock, String owner) {
        return lock.holders().stream()
                .min(Comparator.comparingLong(StoredHolder::fencingToken))
                .map(StoredHolder::acquisitionId)
                .orElse(owner);
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
        StoredLock described = described(acquisition);
        String owner = described != null ? described.owner() : null;
        if (described == null || owner == null) {
            return undescribed(request);
        }
        LockHolder holder = this.directory.of(firstOf(described, owner));
        return new Found(
                holder,
                described.holders().isEmpty()
                        ? "is held by " + text(holder)
                        : sharedText(request, described.holders(), text(holder)));
    }

    /** Returns the lock as the store has described it to this acquisition, or to the one that asks for its queue. */
    private @Nullable StoredLock described(Acquisition acquisition) {
        StoredLock described = acquisition.held();
        if (described != null) {
            return described;
        }
        QueueNode<Grant> first = this.queues.first(acquisition.request().lockName(), acquisition.kind());
        return first != null && first.waiter() instanceof Acquisition asking ? asking.held() : null;
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

    private static String sharedText(LockRequest request, List<StoredHolder> holders, String first) {
        int count = holders.size();
        String text;
        boolean fits;
        if (GrantKind.of(holders.get(0).acquisitionId()).mode() == LockMode.PERMIT) {
            int held = holders.stream().mapToInt(StoredHolder::weight).sum();
            text = "has " + held + " of " + request.permits() + " permits in use by "
                    + (count == 1 ? first : count + " holders, one of them " + first);
            fits = request.weight() <= request.permits() - held;
        } else {
            text = "is held by " + (count == 1 ? "a reader, " + first : count + " readers, one of them " + first);
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
