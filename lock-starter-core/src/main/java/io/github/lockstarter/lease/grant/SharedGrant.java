package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A grant beside which others of the same lock may exist: that of a reader, or of a holder of permits. Readers of one JVM may
 * share one grant of the store and its token; each of them has an object of this class, with a state and renewals of its own.
 */
public final class SharedGrant extends Grant {

    private final ReaderGroup group;

    private volatile boolean last;

    /** Creates a grant of the store, whose first member it is. */
    SharedGrant(LockRequest request, String acquisitionId, long fencingToken, long grantedAt, @Nullable Thread owner) {
        super(request, acquisitionId, fencingToken, grantedAt, owner);
        this.group = new ReaderGroup();
    }

    /** Creates the grant of a reader that goes on with the lease of a writer, in the same thread. */
    SharedGrant(Grant writer, String acquisitionId, LockRequest request, long grantedAt) {
        this(request, acquisitionId, writer.fencingToken(), grantedAt, writer.owner());
        goOnFrom(writer);
    }

    /** Creates a grant that continues another one, which has ended, with the next token. */
    SharedGrant(SharedGrant from, LockRequest request, @Nullable Thread owner, long grantedAt) {
        super(from, request, grantedAt, owner);
        this.group = new ReaderGroup();
    }

    /** Creates another member of the group of {@code first}, which it has joined. */
    SharedGrant(SharedGrant first, LockRequest request, long grantedAt, @Nullable Thread owner) {
        super(request, first.acquisitionId(), first.fencingToken(), grantedAt, owner);
        this.group = first.group;
        goOnFrom(first);
        setUnanswered(first);
    }

    ReaderGroup group() {
        return this.group;
    }

    /** Leaves the group, once, when the grant ends; returns whether it was the last member. */
    boolean leaveGroup() {
        this.last = this.group.leave();
        return this.last;
    }

    /** Returns whether no other reader relies on its acquisition after its end, so that it can be released. */
    public boolean wasLast() {
        return this.last || !this.group.isShared();
    }

    /** Keeps the grant of the store until that time at least, although this member leaves earlier. */
    public void keepGroupUntil(long until) {
        this.group.keepUntil(until);
    }

    /** Returns the time until which a member that has left wants the grant kept, or {@link Grant#NOT_KEPT}. */
    public long groupKeptUntil() {
        return this.group.keptUntil();
    }
}
