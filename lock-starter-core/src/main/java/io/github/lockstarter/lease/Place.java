package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What stands for this JVM before the store: one acquisition id, under which all who wait here for a lock ask, one after
 * the other. So who gives up leaves the place in the waiting line to those behind it. A grant ends the place; so does the
 * last one's giving up, and then the id is never used again.
 */
final class Place {

    private static final AtomicReferenceFieldUpdater<Place, Claim> CLAIM =
            AtomicReferenceFieldUpdater.newUpdater(Place.class, Claim.class, "claim");

    private final String acquisitionId;

    /** Whether a message or a new connection asks for a look; set at any time, cleared before a look. */
    private volatile boolean noticed;

    private volatile boolean handedOver;

    /** Whether it may stand in the store's line, or own the lock. */
    private volatile boolean known;

    /** When a release put the place into the line; 0: it did not, or the store was asked since. */
    private volatile long queuedAt;

    /** The longest lease that an attempt asked for whose outcome nobody knows; 0: there is none. */
    private volatile long unansweredMillis;

    /** When the store was asked and has not answered yet; 0: nothing is open. */
    private volatile long askedAt;

    private volatile @Nullable Claim claim;

    /** Nobody asks from here any more. */
    private volatile boolean closed;

    /** Why the store gave no usable answer when it was asked last; null: it gave one, or was not asked yet. */
    private volatile @Nullable LockStoreException trouble;

    Place(String acquisitionId) {
        this.acquisitionId = acquisitionId;
    }

    String acquisitionId() {
        return this.acquisitionId;
    }

    /** A message says that the lock is ours; true or not, the next look tells. */
    void noticeHandOver() {
        this.handedOver = true;
        this.noticed = true;
    }

    void notice() {
        this.noticed = true;
    }

    /** Whether a look is wanted since the last one began. */
    boolean isNoticed() {
        return this.noticed;
    }

    /** Whether the lock was handed to this place by another JVM, as far as messages tell. */
    boolean wasHandedOver() {
        return this.handedOver;
    }

    /** The store is asked now. */
    void asking(long now) {
        this.askedAt = now != 0 ? now : 1;
        this.noticed = false;
        this.queuedAt = 0;
    }

    void answered(@Nullable LockStoreException failure) {
        this.trouble = failure;
        this.askedAt = 0;
    }

    /** The thread that asked was interrupted: it is not known what the store would have answered. */
    void interrupted() {
        this.askedAt = 0;
    }

    /** An attempt may have been executed, or may still be. */
    void unanswered(long leaseMillis) {
        this.unansweredMillis = Math.max(this.unansweredMillis, leaseMillis);
    }

    /** Somebody else has the lock, whatever a message said. */
    void taken(boolean joined) {
        this.handedOver = false;
        this.known |= joined;
    }

    /** A release has put the place at the end of the line: it need not ask again before something happens. */
    void queued(long now) {
        this.known = true;
        this.queuedAt = now != 0 ? now : 1;
    }

    /** A release has given the lock to the place. */
    void owned() {
        this.known = true;
    }

    /** How much of that time since is left in which the place need not ask; not positive: it has to. */
    long mayRest(long now, long nanos) {
        long queued = this.queuedAt;
        return queued == 0 || this.noticed ? 0 : queued + nanos - now;
    }

    /** Whether the store may know the place, so that giving up must be said to it. */
    boolean isKnown() {
        return this.known || unansweredMillis() > 0;
    }

    long unansweredMillis() {
        Claim current = this.claim;
        return current == null || current.isAnswered()
                ? this.unansweredMillis
                : Math.max(this.unansweredMillis, current.leaseMillis());
    }

    /**
     * The claim may be sent; false if the store is being asked already, or the place is closed: an acquire after its own
     * release would take the lock for nobody.
     */
    boolean beginClaim(Claim sent) {
        Claim current = this.claim;
        if ((current != null && !current.isAnswered()) || !CLAIM.compareAndSet(this, current, sent)) {
            return false;
        }
        // Only now: whoever closes looks at the claim after that.
        if (this.closed || this.askedAt != 0) {
            sent.answer(null);
            return false;
        }
        this.queuedAt = 0;
        // Its answer may be a grant that nobody takes.
        this.known = true;
        return true;
    }

    /** Ends the place; what was sent for it before and is not answered yet counts as unanswered. */
    void close() {
        this.closed = true;
    }

    /** The claim that brought a grant of a lease of that length, once; null: there is none, so the store is to be asked. */
    @Nullable
    Claim takeClaim(long leaseMillis) {
        Claim current = this.claim;
        if (current == null || !current.isAnswered() || !CLAIM.compareAndSet(this, current, null)) {
            return null;
        }
        return current.fencingToken() > 0 && current.leaseMillis() == leaseMillis ? current : null;
    }

    @Nullable
    LockStoreException trouble() {
        return this.trouble;
    }

    /** Whether the store has been asked and has not answered yet. */
    boolean isSilent() {
        return this.askedAt != 0;
    }
}
