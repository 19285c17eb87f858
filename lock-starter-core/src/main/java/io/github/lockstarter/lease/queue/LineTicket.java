package io.github.lockstarter.lease.queue;

import io.github.lockstarter.LockStoreException;
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

    private final String acquisitionId;

    /** Whether a message or a new connection requires another attempt; set at any time, cleared before an attempt. */
    private volatile boolean noticed;

    /** Whether a message has reported a hand-over since the last attempt began. */
    private volatile boolean handedOver;

    /** Whether a message had reported a hand-over when the last attempt began. */
    private volatile boolean handedOverBefore;

    /** Whether the ticket may stand in the store's line, or own the lock. */
    private volatile boolean known;

    /** Time at which a release put the ticket into the line; 0: it did not, or the store was asked since. */
    private volatile long queuedAt;

    /** The longest lease in milliseconds among attempts with an unknown outcome; 0: there is none. */
    private volatile long unansweredMillis;

    /** Time of the attempt that has no reply yet; 0: there is none. */
    private volatile long askedAt;

    private volatile @Nullable Claim claim;

    /** Set when the ticket has ended. */
    private volatile boolean closed;

    /** The failure of the last attempt; null: it had a reply, or there was none yet. */
    private volatile @Nullable LockStoreException failure;

    public LineTicket(String acquisitionId) {
        this.acquisitionId = acquisitionId;
    }

    public String acquisitionId() {
        return this.acquisitionId;
    }

    /** Notes a message that the lock was granted to this ticket; only the next attempt shows whether that is so. */
    public void noticeHandOver() {
        this.handedOver = true;
        this.noticed = true;
    }

    public void notice() {
        this.noticed = true;
    }

    /** Returns whether another attempt is required since the last one began. */
    public boolean isNoticed() {
        return this.noticed;
    }

    /** Returns whether a message said that another JVM handed the lock over. */
    public boolean wasHandedOver() {
        return this.handedOver || this.handedOverBefore;
    }

    /** Notes that an attempt begins. */
    public void asking(long now) {
        this.askedAt = now != 0 ? now : 1;
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
        this.known |= joined;
    }

    /** Notes that a release has put the ticket at the end of the line: the next attempt can wait for a message. */
    public void queued(long now) {
        this.known = true;
        this.queuedAt = now != 0 ? now : 1;
    }

    /** Notes that a release has granted the lock to the ticket. */
    public void owned() {
        this.known = true;
    }

    /** Returns how many of {@code nanos} are left in which no attempt is needed; zero or negative: one is needed. */
    public long restNanos(long now, long nanos) {
        long queued = this.queuedAt;
        return queued == 0 || this.noticed ? 0 : queued + nanos - now;
    }

    /** Returns whether the store may know the ticket, so that giving up must remove it there. */
    public boolean isKnown() {
        return this.known || unansweredMillis() > 0;
    }

    public long unansweredMillis() {
        Claim current = this.claim;
        return current == null || current.isAnswered()
                ? this.unansweredMillis
                : Math.max(this.unansweredMillis, current.leaseMillis());
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
        return current.fencingToken() > 0 && current.leaseMillis() == leaseMillis ? current : null;
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
