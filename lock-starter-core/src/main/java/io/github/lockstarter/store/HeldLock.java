package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LossReason;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A lock in memory: its exclusive owner or its holders, and its waiting line. Each method is one step of the script of
 * the Redis store that has its name, and leaves the lock expired if nothing owns it any more. The lock is changed only
 * within the atomic operations of the store's map; the end of the lease is also read outside of them. Times are
 * nanoseconds of {@link System#nanoTime()} unless named otherwise.
 */
final class HeldLock {

    /** Milliseconds in which a grant from the line must be claimed, before it expires. */
    static final long CLAIM_MILLIS = TimeUnit.SECONDS.toMillis(2);

    /** Milliseconds after which a waiter polls. */
    private static final long POLL_MILLIS = CLAIM_MILLIS / 2;

    private static final long CLAIM_NANOS = TimeUnit.MILLISECONDS.toNanos(CLAIM_MILLIS);

    /** Time in which a waiter must poll: three poll intervals, as the claim lasts for two of them. */
    private static final long WAIT_NANOS = CLAIM_NANOS * 3 / 2;

    /** Null in shared use, and while nothing owns the lock. */
    private @Nullable String owner;

    private final SharedHolders holders = new SharedHolders();

    private final WaitingLine line = new WaitingLine();

    /** Token of the last grant. */
    private long token;

    /** The end of the lease, of several holders that of the last one. */
    private volatile long endsAt;

    /** Creates a lock that is free; a step must follow. */
    HeldLock(long now) {
        this.endsAt = now;
    }

    /** Returns whether a lease has not expired. */
    boolean isHeld(long now) {
        return this.endsAt - now > 0;
    }

    /**
     * Grants the lock if it is free or the acquisition fits beside its holders, and repeats the grant to its owner;
     * otherwise joins the line if requested. Nothing is granted past the first in the line.
     */
    AcquireReply acquire(String acquisitionId, long leaseMillis, boolean join, LockStep step) {
        GrantKind kind = GrantKind.of(acquisitionId);
        long now = step.now();
        long lease = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        if (this.owner == null) {
            AcquireReply reply = acquireShared(acquisitionId, kind, lease, join, step);
            settle(now);
            return reply;
        }
        if (this.owner.equals(acquisitionId)) {
            extend(now + lease);
            return new AcquireReply.Granted(this.token);
        }
        if (kind.mode() == LockMode.PERMIT) {
            throw step.inUseAs(LockMode.WRITE);
        }
        // A late acquire of a grant that has ended must not join: its grant would never be claimed.
        if (join && !this.owner.equals(SharedHolders.KEPT_PREFIX + acquisitionId)) {
            this.line.join(acquisitionId);
        }
        return taken(acquisitionId, remainingMillis(now));
    }

    private AcquireReply acquireShared(String id, GrantKind kind, long lease, boolean join, LockStep step) {
        long now = step.now();
        purge(now);
        if (this.holders.excludeUse(kind)) {
            throw step.inUseAs(this.holders.mode());
        }
        grantLine(id, lease, step);
        if (this.holders.extend(id, now + lease)) {
            return new AcquireReply.Granted(this.holders.tokenOf(id));
        }
        // A late acquire of a grant that has ended does nothing: the caller has released its id.
        boolean ended = this.holders.haveEnded(id);
        if (!ended && this.line.isEmpty() && fits(kind)) {
            grant(id, kind, lease, step);
            return new AcquireReply.Granted(this.token);
        }
        if (id.equals(this.owner)) {
            return new AcquireReply.Granted(this.token);
        }
        if (join && !ended) {
            this.line.join(id, now + WAIT_NANOS);
        }
        long nanos = this.owner != null ? this.endsAt - now : this.holders.nanosToFirst(now);
        return taken(id, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    private AcquireReply.Taken taken(String id, long remainingMillis) {
        String named = this.owner != null ? this.owner : this.holders.lastId();
        return new AcquireReply.Taken(
                remainingMillis,
                SharedHolders.withoutPrefix(named),
                this.token,
                this.owner != null ? 0 : this.holders.used(),
                this.line.contains(id) ? POLL_MILLIS : 0);
    }

    /** Renews the lease of the owner or of a holder; returns null, or why the acquisition is neither. */
    @Nullable
    LossReason renew(String acquisitionId, long leaseMillis, LockStep step) {
        long now = step.now();
        long deadline = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        if (this.owner != null) {
            if (!this.owner.equals(acquisitionId)) {
                return LossReason.TAKEN_OVER;
            }
            extend(deadline);
            return null;
        }
        purge(now);
        boolean renewed = this.holders.extend(acquisitionId, deadline);
        settle(now);
        return renewed ? null : LossReason.DELETED;
    }

    /**
     * Releases the lock, and grants it along the line and to the successor; an acquisition that does not own it leaves
     * the line.
     */
    ReleaseReply release(String acquisitionId, long lastToken, @Nullable Successor successor, LockStep step) {
        long now = step.now();
        purge(now);
        boolean owns = acquisitionId.equals(this.owner) || this.holders.contains(acquisitionId);
        ReleaseReply reply =
                owns ? releaseOwned(acquisitionId, lastToken, successor, step) : releaseAgain(successor, now);
        if (reply == null) {
            reply = leave(acquisitionId, step);
        }
        settle(now);
        return reply;
    }

    private ReleaseReply releaseOwned(String id, long lastToken, @Nullable Successor successor, LockStep step) {
        this.owner = null;
        this.holders.remove(id);
        this.token = Math.max(this.token, lastToken);
        if (successor == null) {
            grantLine("", 0, step);
            return ReleaseReply.RELEASED;
        }
        String next = successor.acquisitionId();
        this.line.join(next, step.now() + WAIT_NANOS);
        grantLine(next, TimeUnit.MILLISECONDS.toNanos(successor.leaseMillis()), step);
        if (next.equals(this.owner)) {
            return ReleaseReply.grantedToSuccessor(this.token);
        }
        return this.holders.contains(next)
                ? ReleaseReply.grantedToSuccessor(this.holders.tokenOf(next))
                : ReleaseReply.queued(this.token);
    }

    /** Returns the reply to the first execution of a release, which its successor proves; null if it does not. */
    private @Nullable ReleaseReply releaseAgain(@Nullable Successor successor, long now) {
        if (successor == null) {
            return null;
        }
        String next = successor.acquisitionId();
        long deadline = now + TimeUnit.MILLISECONDS.toNanos(successor.leaseMillis());
        if (next.equals(this.owner)) {
            extend(deadline);
            return ReleaseReply.grantedToSuccessor(this.token);
        }
        if (this.holders.extend(next, deadline)) {
            return ReleaseReply.grantedToSuccessor(this.holders.tokenOf(next));
        }
        return this.line.contains(next) ? ReleaseReply.queued(this.token) : null;
    }

    private ReleaseReply leave(String id, LockStep step) {
        if (!this.line.leave(id)) {
            return ReleaseReply.TAKEN;
        }
        // Those behind it may fit.
        grantLine("", 0, step);
        return ReleaseReply.LEFT;
    }

    /** Ends a grant but keeps what it holds; returns whether the acquisition owned the lock or was kept before. */
    boolean keep(String acquisitionId, long keepMillis, LockStep step) {
        long now = step.now();
        long deadline = now + TimeUnit.MILLISECONDS.toNanos(keepMillis);
        purge(now);
        String kept = SharedHolders.KEPT_PREFIX + acquisitionId;
        if (acquisitionId.equals(this.owner)) {
            this.owner = kept;
            this.endsAt = deadline;
            return true;
        }
        if (kept.equals(this.owner)) {
            this.endsAt = deadline - this.endsAt < 0 ? deadline : this.endsAt;
            return true;
        }
        boolean isKept = this.holders.keep(acquisitionId, deadline);
        settle(now);
        return isKept;
    }

    /** Turns the owner into a reader with the same token, and grants the lock along the line. */
    ReleaseReply downgrade(String acquisitionId, long lastToken, long leaseMillis, LockStep step) {
        long now = step.now();
        long deadline = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        String reader = GrantKind.readerOf(acquisitionId);
        purge(now);
        if (acquisitionId.equals(this.owner)) {
            this.owner = null;
            this.token = Math.max(this.token, lastToken);
            // The lease of the writer may be longer, and its client relies on it until the reply.
            this.holders.add(reader, GrantKind.READER, this.endsAt, this.token);
        }
        ReleaseReply reply = ReleaseReply.TAKEN;
        if (this.holders.extend(reader, deadline)) {
            reply = ReleaseReply.grantedToSuccessor(this.holders.tokenOf(reader));
            grantLine("", 0, step);
        }
        settle(now);
        return reply;
    }

    /** Describes the lock. */
    StoredLock describe(long now) {
        purge(now);
        List<StoredHolder> described = this.holders.describe(now);
        String shown = this.owner != null
                ? SharedHolders.withoutPrefix(this.owner)
                : described.get(0).acquisitionId();
        return new StoredLock(
                shown, this.token, remainingMillis(now), this.line.size(), this.line.firstIds(), described);
    }

    /** Returns the ids under which the lock can be released. */
    List<String> owners(long now) {
        purge(now);
        return this.owner != null ? List.of(this.owner) : this.holders.ids();
    }

    /** Removes holders and entries of the line whose time is over, which never count. */
    private void purge(long now) {
        if (this.owner == null) {
            this.holders.purge(now);
            this.line.purge(now);
        }
    }

    private boolean fits(GrantKind kind) {
        return this.owner == null && this.holders.leaveRoomFor(kind);
    }

    private void grant(String id, GrantKind kind, long lease, LockStep step) {
        this.token = step.nextToken(this.token, kind);
        if (kind.isShared()) {
            this.holders.add(id, kind, step.now() + lease, this.token);
        } else {
            this.owner = id;
            this.endsAt = step.now() + lease;
            this.line.unlimit();
        }
    }

    /**
     * Grants the lock to the first in the line, and to those behind it, as long as they fit. They must claim the grant,
     * except the acquisition that asks at this moment, which gets its lease.
     */
    private void grantLine(String asking, long lease, LockStep step) {
        while (!this.line.isEmpty()) {
            String first = this.line.first();
            GrantKind kind = GrantKind.of(first);
            if (!fits(kind)) {
                return;
            }
            this.line.removeFirst();
            boolean asks = first.equals(asking);
            grant(first, kind, asks ? lease : CLAIM_NANOS, step);
            if (!asks) {
                step.grantedInLine(first, this.token);
            }
        }
    }

    /** Ends a step: in shared use, the lock lasts as long as its last holder, and all waiters must poll. */
    private void settle(long now) {
        if (this.owner == null) {
            this.endsAt = now + this.holders.nanosToLast(now);
            this.line.limit(now + WAIT_NANOS);
        }
    }

    private void extend(long deadline) {
        if (deadline - this.endsAt > 0) {
            this.endsAt = deadline;
        }
    }

    private long remainingMillis(long now) {
        return TimeUnit.NANOSECONDS.toMillis(this.endsAt - now) + 1;
    }
}
