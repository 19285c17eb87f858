package io.github.lockstarter.lease.queue;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The ticket of this JVM in the line of the store: one acquisition id, under which all waiters of this JVM for a lock ask
 * one after the other. A waiter that gives up leaves its position in the line to those behind it. A grant ends the ticket,
 * and so does the last waiter that gives up; its id is never used again.
 *
 * <p>Fields are set by the thread that asks, by threads that read messages and replies, and by releases; each of them is
 * volatile, and the order of two writes is stated where it matters. Times are nanoseconds of the monotonic clock.
 */
public final class LineTicket {

    private static final AtomicReferenceFieldUpdater<LineTicket, Claim> CLAIM =
            AtomicReferenceFieldUpdater.newUpdater(LineTicket.class, Claim.class, "claim");

    private static final AtomicReferenceFieldUpdater<LineTicket, LineBase> BASE =
            AtomicReferenceFieldUpdater.newUpdater(LineTicket.class, LineBase.class, "base");

    private static final AtomicReferenceFieldUpdater<LineTicket, OfferedGrant> OFFER =
            AtomicReferenceFieldUpdater.newUpdater(LineTicket.class, OfferedGrant.class, "offer");

    private final String acquisitionId;

    /** Whether a message or a new connection requires another attempt; set at any time, cleared before an attempt. */
    private volatile boolean noticed;

    /** Whether a message has reported a hand-over since the last attempt began. */
    private volatile boolean handedOver;

    /** Whether a message had reported a hand-over when the last attempt began. */
    private volatile boolean handedOverBefore;

    /** Whether the ticket may stand in the store's line, or own the lock. */
    private volatile boolean known;

    /** Whether a release of this JVM has granted the lock to the ticket, and no reply said otherwise since then. */
    private volatile boolean owned;

    /** Time at which a release put the ticket into the line; 0: it did not, or the store was asked since. */
    private volatile long queuedAt;

    /** The longest lease in milliseconds among attempts with an unknown outcome; 0: there is none. */
    private volatile long unansweredMillis;

    /** Time of the attempt that has no reply yet; 0: there is none. */
    private volatile long askedAt;

    private volatile @Nullable Claim claim;

    private volatile @Nullable OfferedGrant offer;

    /** Time at which the last attempt began after which the ticket was in the line; 0: there was none. */
    private volatile long joinedAt;

    private volatile long lastAskedAt;

    /** The latest moment at which the ticket did not own the lock; at first, that of its creation. */
    private volatile LineBase base;

    /** Whether so much time has passed between two such moments that the ticket may have been granted the lock in between. */
    private volatile boolean baseLapsed;

    /** Set when the ticket has ended. */
    private volatile boolean closed;

    /** The failure of the last attempt; null: it had a reply, or there was none yet. */
    private volatile @Nullable LockStoreException failure;

    /** Creates a ticket under which no command has been sent. */
    public LineTicket(String acquisitionId, LeaseClock clock) {
        this.acquisitionId = acquisitionId;
        this.base = new LineBase(clock.nanoTime(), clock.currentTimeMillis(), 0);
    }

    public String acquisitionId() {
        return this.acquisitionId;
    }

    /** Notes a message that the lock was granted to this ticket. Unless it is believed, the next attempt shows whether it was. */
    public void noticeHandOver() {
        this.handedOver = true;
        this.noticed = true;
    }

    public void notice() {
        this.noticed = true;
    }

    /** Returns whether another attempt is required since the last one began. */
    public boolean isNoticed() {
        return this.noticed || this.offer != null;
    }

    /**
     * Offers a grant of this JVM to the waiter of the ticket, which must be woken then; returns false if the ticket has ended,
     * or another grant is offered.
     */
    public boolean offer(OfferedGrant granted) {
        if (!OFFER.compareAndSet(this, null, granted)) {
            return false;
        }
        // Checked after that, because close() sets its flag before it looks for an offer.
        return !this.closed || !OFFER.compareAndSet(this, granted, null);
    }

    /** Returns, once, the grant that is offered to the waiter; null: there is none. */
    public @Nullable OfferedGrant takeOffer() {
        return this.offer != null ? OFFER.getAndSet(this, null) : null;
    }

    /** Notes that the ticket passes on in the line: its next waiter need not ask before the next poll. */
    public void passedOn() {
        this.queuedAt = this.joinedAt;
    }

    /** Returns whether a message said that another JVM handed the lock over. */
    public boolean wasHandedOver() {
        return this.handedOver || this.handedOverBefore;
    }

    /** Notes that an attempt begins. */
    public void asking(long now) {
        this.askedAt = now != 0 ? now : 1;
        this.lastAskedAt = this.askedAt;
        this.noticed = false;
        if (this.handedOver) {
            this.handedOverBefore = true;
            this.handedOver = false;
        }
        this.queuedAt = 0;
    }

    public void answered(@Nullable LockStoreException failure) {
        this.failure = failure;
        this.askedAt = 0;
    }

    /** Notes that the thread of the attempt was interrupted, which says nothing about the store. */
    public void interrupted() {
        this.askedAt = 0;
    }

    /** Notes an attempt that may have been executed, or may still be. */
    public void unanswered(long leaseMillis) {
        this.unansweredMillis = Math.max(this.unansweredMillis, leaseMillis);
    }

    /** Notes that another acquisition has the lock, whatever a message before the attempt said; a later one is newer. */
    public void taken(boolean joined) {
        this.handedOverBefore = false;
        this.owned = false;
        this.known |= joined;
        this.joinedAt = joined ? this.lastAskedAt : 0;
    }

    /** Notes that a release has put the ticket at the end of the line: the next attempt can wait for a message. */
    public void queued(long now) {
        this.known = true;
        this.queuedAt = now != 0 ? now : 1;
    }

    /**
     * Notes a reply that showed that the ticket did not own the lock.
     *
     * <p>Such replies form a chain: a message under way reports either a grant after the last of them or one that expired
     * between two of them. The latter takes longer than a claim lease, and so the chain ends when two of them are that far
     * apart: a grant of unknown age could then be reported. Tokens alone do not show its age, because a server's clock can be
     * set back while the lock is free.
     */
    public void notOwner(LineBase proof, ClaimLease claimLease) {
        LineBase known;
        LineBase next;
        do {
            known = this.base;
            if (!claimLease.isOpen(known)) {
                this.baseLapsed = true;
                return;
            }
            next = known.and(proof);
        } while (!BASE.compareAndSet(this, known, next));
    }

    /**
     * Returns the base from which a grant with that token counts; null: the message that reports it cannot be believed,
     * because it may report an earlier grant.
     */
    public @Nullable LineBase baseOf(long fencingToken) {
        LineBase known = this.base;
        boolean later = known.ownerToken() > 0 && fencingToken > known.ownerToken();
        return later && !this.baseLapsed && !this.closed ? known : null;
    }

    /** Notes a claim that is a believed message; returns false if the reply to a command will bring the grant. */
    public boolean believe(Claim message) {
        Claim current = this.claim;
        if ((current != null && !current.isAnswered()) || !CLAIM.compareAndSet(this, current, message)) {
            return false;
        }
        this.known = true;
        this.queuedAt = 0;
        return true;
    }

    /** Notes that a release of this JVM has granted the lock to the ticket. */
    public void owned() {
        this.known = true;
        this.owned = true;
    }

    /** Returns whether a release of this JVM has granted the lock to the ticket, which it still had to claim. */
    public boolean wasOwned() {
        return this.owned;
    }

    /** Returns how many of {@code nanos} are left in which no attempt is needed; zero or negative: one is needed. */
    public long restNanos(long now, long nanos) {
        long queued = this.queuedAt;
        return queued == 0 || isNoticed() ? 0 : queued + nanos - now;
    }

    /** Returns whether the store may know the ticket, so that giving up must remove it there. */
    public boolean isKnown() {
        return this.known || unansweredMillis() > 0;
    }

    public long unansweredMillis() {
        Claim current = this.claim;
        return current == null ? this.unansweredMillis : Math.max(this.unansweredMillis, current.unansweredMillis());
    }

    /**
     * Notes that a claim is sent; returns false if an attempt is in progress, or if the ticket has ended: an acquire
     * command after the release of its own id would take the lock although no caller wants it.
     */
    public boolean beginClaim(Claim sent) {
        Claim current = this.claim;
        if ((current != null && !current.isAnswered()) || !CLAIM.compareAndSet(this, current, sent)) {
            return false;
        }
        // Checked after the claim is set, because close() sets its flag before the claim is read.
        if (this.closed || this.askedAt != 0) {
            sent.answer(null);
            return false;
        }
        this.queuedAt = 0;
        // Its reply may be a grant that no caller takes.
        this.known = true;
        return true;
    }

    /**
     * Ends the ticket.
     *
     * @return the longest lease in milliseconds that a command without a reply may still obtain; 0: there is none
     */
    public long close() {
        this.closed = true;
        OfferedGrant left = takeOffer();
        if (left != null) {
            left.abandon();
        }
        // Read after that: a message could have a claim sent in between, which would take the lock for no caller if it
        // were executed after the release.
        return unansweredMillis();
    }

    /** Returns, once, the claim that was granted a lease of that length; null: there is none, and an attempt is needed. */
    @Nullable
    public Claim takeClaim(long leaseMillis) {
        Claim current = this.claim;
        if (current == null || !current.isAnswered() || !CLAIM.compareAndSet(this, current, null)) {
            return null;
        }
        return current.fencingToken() > 0 && current.isFor(leaseMillis) ? current : null;
    }

    @Nullable
    public LockStoreException failure() {
        return this.failure;
    }

    /** Returns whether an attempt has no reply yet. */
    public boolean isSilent() {
        return this.askedAt != 0;
    }
}
