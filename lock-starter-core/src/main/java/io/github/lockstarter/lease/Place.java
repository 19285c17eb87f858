package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What stands for this JVM before the store: one acquisition id, under which all who wait here for a lock ask, one after
 * the other. So who gives up leaves the place in the waiting line to those behind it. A grant ends the place; so does the
 * last one's giving up, and then the id is never used again.
 */
final class Place {

    private final String acquisitionId;

    /** Whether a message or a new connection asks for a look; set at any time, cleared before a look. */
    private volatile boolean noticed;

    private volatile boolean handedOver;

    /** Whether it may stand in the store's line, or own the lock. */
    private volatile boolean known;

    private volatile boolean justQueued;

    /** The longest lease that an attempt asked for whose outcome nobody knows; 0: there is none. */
    private volatile long unansweredMillis;

    /** When the store was asked and has not answered yet; 0: nothing is open. */
    private volatile long askedAt;

    private volatile @Nullable Claim claim;

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
        this.justQueued = false;
    }

    void answered(@Nullable LockStoreException failure) {
        this.trouble = failure;
        this.askedAt = 0;
    }

    /** An attempt may have been executed, or may still be. */
    void unanswered(long leaseMillis) {
        this.unansweredMillis = Math.max(this.unansweredMillis, leaseMillis);
    }

    /** The store may have put the place into its line. */
    void joined() {
        this.known = true;
    }

    /** A release has put the place at the end of the line: it need not ask again before something happens. */
    void queued() {
        this.known = true;
        this.justQueued = true;
    }

    /** A release has given the lock to the place. */
    void owned() {
        this.known = true;
    }

    boolean wasJustQueued() {
        return this.justQueued;
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

    /** Whether somebody asks the store at this moment. */
    boolean isBeingAskedFor() {
        Claim current = this.claim;
        return this.askedAt != 0 || (current != null && !current.isAnswered());
    }

    void claiming(Claim sent) {
        this.justQueued = false;
        this.claim = sent;
    }

    /** The answer to a claim for a lease of that length, once; null: there is none. */
    @Nullable
    Claim takeClaim(long leaseMillis) {
        Claim current = this.claim;
        if (current == null || !current.isAnswered()) {
            return null;
        }
        this.claim = null;
        return current.reply() != null && current.leaseMillis() == leaseMillis ? current : null;
    }

    @Nullable
    LockStoreException trouble() {
        return this.trouble;
    }

    /** Whether the store has been asked before that time and is silent since. */
    boolean isSilentSince(long time) {
        long asked = this.askedAt;
        return asked != 0 && asked - time <= 0;
    }
}
