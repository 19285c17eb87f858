package io.github.lockstarter.lock;

import static io.github.lockstarter.lock.Moment.BEFORE;
import static io.github.lockstarter.lock.Moment.MILLI;
import static io.github.lockstarter.lock.Moment.NEVER;

import io.github.lockstarter.store.GrantKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that one JVM knows about one acquisition id in the store, from the first command to the last. Changed by its lock
 * alone. Many may be held at a time, so that small counters are short.
 */
public final class Acquisition {

    enum Phase {
        ASKING,
        HELD,
        /**
         * The id of a writer that has become a reader, which may still own the lock if the store has not executed that.
         */
        SUSPENDED,
        ENDING,
        OVER
    }

    /** A waiter that has left, and is to be notified of its refusal at that time at the latest. */
    record PendingRefusal(Waiter waiter, Refusal refusal, long latest) {}

    /** The terms of an acquisition for which no waiter of this lock has asked. */
    private static final Terms NO_TERMS = new Terms(0, NEVER, NEVER, 0);

    final String id;

    final GrantKind kind;

    Phase phase = Phase.ASKING;

    @Nullable
    Acquisition next;

    /** When the next attempt, renewal or release is sent, according to the phase. */
    long dueAt;

    /** The token of the grant; before it, the largest token of another owner that is known; 0: unknown. */
    long token;

    // Asking

    long askedAt = BEFORE;

    /** Whether the latest attempt has an outcome. */
    boolean isAnswered = true;

    /** Whether an attempt has asked for a place in the line. */
    boolean hasJoined;

    /** Whether the store has replied to an attempt. */
    boolean hasReply;

    /** Whether a message has reported a grant that it did not prove. */
    boolean isNotified;

    /** At some time after this moment, the store had not granted the lock to the id. */
    Moment notOwnerAt;

    boolean hasProofGap;

    /** Whether an attempt after the grant has put the id into the line, because the store has lost the grant. */
    boolean isInLineAgain;

    /**
     * The last of its acquires that wait to be written; null: none. This and their number are kept by the {@link
     * CommandWindow}.
     */
    @Nullable
    Sent waiting;

    int waitingAttempts;

    // Questions that may give the id something: under way, or of unknown outcome

    int openAttempts;

    long settledAt = BEFORE;

    long unsettledUntil = BEFORE;

    // Holding

    /**
     * The first of the grants; one that is passed on has one after the other, that of readers has several at a time.
     */
    @Nullable
    Grant grant;

    /** Of the latest grant, or of the waiter for which the candidate has asked. */
    Terms terms = NO_TERMS;

    /** The longest lease that was requested for the id. */
    long longestLease;

    /** When the latest command was sent that has set or confirmed the lease. */
    long renewedAt = BEFORE;

    /** The end of the lease in the store, at the earliest. */
    long storedUntil = BEFORE;

    /** The end by the wall clock in milliseconds; written before the other one, and read after it. */
    long validUntilWall;

    /** The end by the monotonic clock; any thread reads it. */
    volatile long validUntil = BEFORE;

    long grantedAt;

    int handOvers;

    long keepUntil = BEFORE;

    /** Whether a reply has shown that the store has the full lease. */
    boolean isConfirmed = true;

    boolean isJoinable;

    short renewalsOpen;

    /** Whether commands go to another server, and no renewal was sent to it: replies prove nothing about it. */
    boolean isServerNew;

    /** From then on, the reply to the latest renewal is late. */
    long lateAt = NEVER;

    /** The acquisition of the writer that has become this reader; null: there is none. */
    @Nullable
    Acquisition former;

    boolean isDowngraded;

    // Ending

    /** The grant whose owner waits for the outcome of the release; null: none. */
    @Nullable
    Grant releasing;

    boolean isReleasing;

    /** The last waiter, which is notified of its refusal when the id has left the line; null: none. */
    @Nullable
    PendingRefusal pendingRefusal;

    long giveUpAt;

    /** Grants that were lost because their time was over, and whose owners have not released them. */
    int lostGrants;

    byte failures;

    Acquisition(String id, GrantKind kind, Moment now) {
        this.id = id;
        this.kind = kind;
        this.notOwnerAt = now;
        this.dueAt = now.nanos();
    }

    /** Sets the time of the next attempt, unless an earlier one is set. */
    void askAt(long time) {
        if (this.phase == Phase.ASKING) {
            this.dueAt = Math.min(this.dueAt, time);
        }
    }

    /**
     * Returns the nanoseconds for which the owner may rely on the lease, by the stricter clock. Any thread may call it.
     */
    long remaining(Moment now) {
        long left = this.validUntil - now.nanos();
        return Math.min(left, (this.validUntilWall - now.wallMillis()) * MILLI);
    }

    /** Notes a lease that a command has set. The command that has set the later end decides on both clocks. */
    void extend(Moment from, long usable, long lease) {
        this.renewedAt = Math.max(this.renewedAt, from.nanos());
        if (from.nanos() + usable > this.validUntil) {
            this.storedUntil = from.nanos() + lease;
            this.validUntilWall = from.wallMillis() + (usable + MILLI - 1) / MILLI;
            this.validUntil = from.nanos() + usable;
        }
    }

    /** The reader goes on with the lease of the writer, on which it relies until the reply to the downgrade. */
    void continueFrom(Acquisition writer, Terms terms) {
        this.phase = Phase.HELD;
        this.dueAt = NEVER;
        this.former = writer;
        this.token = writer.token;
        this.terms = terms;
        this.longestLease = writer.longestLease;
        this.renewedAt = writer.renewedAt;
        this.storedUntil = writer.storedUntil;
        this.validUntilWall = writer.validUntilWall;
        this.validUntil = writer.validUntil;
        this.keepUntil = writer.keepUntil;
        this.isConfirmed = false;
    }

    /** Returns whether it is a reader, and the store may still have the writer that it was. */
    boolean isDowngrading() {
        return this.former != null && this.former.phase == Phase.SUSPENDED && !this.former.isDowngraded;
    }

    /** Leases are renewed at the ends of slots of time, so that those of many locks are renewed together. */
    long nextRenewal() {
        long interval = this.terms.renewAfter();
        if (interval == NEVER) {
            return NEVER;
        }
        long due = this.renewedAt + interval;
        return due - due % Math.max(1, interval / Rules.SLOTS_IN_AN_INTERVAL);
    }

    /** Returns whether an owner wants renewals, or the store has yet to set the full lease. */
    boolean needsRenewal(Moment now) {
        boolean isWanted = !this.isConfirmed;
        for (Grant each = this.grant; each != null; each = each.next) {
            isWanted |= each.renewUntil > now.nanos();
        }
        return isWanted;
    }

    /** Returns whether an attempt may still be executed, or may have been without a reply. */
    boolean isUnsettled(Moment now) {
        // The store knows nothing of an acquire that waits to be written.
        return this.openAttempts > this.waitingAttempts || this.unsettledUntil > now.nanos();
    }

    /** Returns whether it is in the line of the store, or was granted the lock from it, as far as is known. */
    boolean standsInLine() {
        return (this.hasJoined && this.hasReply) || this.isNotified;
    }

    boolean isUnknownToStore() {
        return !(this.hasJoined && this.hasReply) && this.openAttempts == 0 && this.unsettledUntil == BEFORE;
    }

    /** Returns whether the store has granted the lock from its line, and the reply to an attempt has shown that. */
    public boolean isNotified() {
        return this.isNotified;
    }

    boolean isShared() {
        return this.grant != null && this.grant.next != null;
    }

    void add(Grant added) {
        Grant head = this.grant;
        added.next = head;
        if (head != null) {
            head.previous = added;
        }
        this.grant = added;
    }

    void remove(Grant removed) {
        Grant before = removed.previous;
        Grant behind = removed.next;
        if (before != null) {
            before.next = behind;
        } else {
            this.grant = behind;
        }
        if (behind != null) {
            behind.previous = before;
        }
        removed.previous = null;
        removed.next = null;
    }

    /** Returns the grants, as they are now. */
    List<Grant> grants() {
        Grant head = this.grant;
        if (head == null) {
            return List.of();
        }
        if (head.next == null) {
            return List.of(head);
        }
        List<Grant> all = new ArrayList<>();
        for (Grant each = head; each != null; each = each.next) {
            all.add(each);
        }
        return all;
    }

    /** The owner of a lost grant does not use it any more. After the last one, the id is released without a delay. */
    void ownerIsDone(Moment now) {
        if (this.phase == Phase.ENDING && this.lostGrants > 0) {
            this.lostGrants--;
            if (this.lostGrants == 0) {
                this.dueAt = Math.min(this.dueAt, now.nanos());
            }
        }
        if (this.former != null) {
            this.former.ownerIsDone(now);
        }
    }

    @Override
    public String toString() {
        return this.id + ' ' + this.phase;
    }
}
