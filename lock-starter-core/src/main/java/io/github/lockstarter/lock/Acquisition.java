package io.github.lockstarter.lock;

import static io.github.lockstarter.lock.Moment.BEFORE;
import static io.github.lockstarter.lock.Moment.MILLI;
import static io.github.lockstarter.lock.Moment.NEVER;

import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * The state of one acquisition id of this JVM in the store, from its first command to its last. It is changed only by
 * its lock and by the {@link CommandWindow}. Many acquisitions may be held at a time, so small counters have short
 * types.
 *
 * @see LocalLock
 */
public final class Acquisition {

    enum Phase {
        ASKING,
        HELD,
        /**
         * The id belongs to a writer that has become a reader. It may still own the lock if the store has not executed
         * the downgrade.
         */
        SUSPENDED,
        ENDING,
        OVER
    }

    /** The refusal of a waiter that has left. It is reported at the given time at the latest. */
    record PendingRefusal(Waiter waiter, Refusal refusal, long latest) {}

    /** The terms of an acquisition for which no waiter of this lock has asked. */
    private static final Terms NO_TERMS = new Terms(0, NEVER, NEVER, 0);

    final String id;

    final GrantKind kind;

    Phase phase = Phase.ASKING;

    @Nullable
    Acquisition next;

    /** Time at which the next attempt, renewal or release is sent; the phase determines which. */
    long dueAt;

    /** The token of the grant. Before the grant, the largest known token of another owner, or 0 if none is known. */
    long token;

    // Asking

    /** Time at which the latest attempt was requested. */
    long askedAt = BEFORE;

    /** Whether the latest attempt has an outcome. */
    boolean isAnswered = true;

    /** Whether an attempt has asked for a place in the line. */
    boolean hasJoined;

    /** Whether the store has replied to an attempt. */
    boolean hasReply;

    /** Whether a message has reported a grant. */
    boolean isNotified;

    /** The store had not granted the lock to the id at some time after this moment. */
    Moment notOwnerAt;

    /** Whether too much time lies between two proofs that the id is not the owner, see {@link LocalLock}. */
    boolean hasProofGap;

    /** Whether an attempt after the grant has put the id into the line again, because the store has lost the grant. */
    boolean isInLineAgain;

    /**
     * The last acquire of this acquisition that waits to be written, or {@code null} if none waits. The {@link
     * CommandWindow} maintains this field and the number of these acquires.
     */
    @Nullable
    Sent waiting;

    short waitingAttempts;

    // Attempts that may grant the lock to the id: they are under way, or their outcome is unknown

    short openAttempts;

    /** Time of the latest outcome of an attempt. */
    long settledAt = BEFORE;

    /**
     * Time until which the store may hold the lock for an attempt that had no reply, or {@link Moment#BEFORE} if each
     * attempt had one.
     */
    long unsettledUntil = BEFORE;

    // Holding

    /**
     * The first of the grants, or {@code null} if there is none. A hand-over replaces the grant; readers have several
     * at a time.
     */
    @Nullable
    Grant grant;

    /** The terms of the latest grant, or of the waiter for which the candidate has asked. */
    Terms terms = NO_TERMS;

    /** The longest lease that was requested for the id. */
    long longestLease;

    /** Time at which the latest command was sent that has set or confirmed the lease. */
    long renewedAt = BEFORE;

    /** The earliest time at which the lease can end in the store. */
    long storedUntil = BEFORE;

    /**
     * The end of the validity by the wall clock, in milliseconds. Written before {@link #validUntil} and read after it.
     */
    long validUntilWall;

    /** The end of the validity by the monotonic clock. Any thread may read it. */
    volatile long validUntil = BEFORE;

    /** Time of the grant by the store, or of the downgrade of the writer. */
    long grantedAt;

    /** Number of hand-overs in memory since the grant by the store. */
    int handOvers;

    /** The end of the minimum hold, until which a release keeps the lock taken. */
    long keepUntil = BEFORE;

    /** Whether a reply has shown that the store has set the full lease. */
    boolean isConfirmed = true;

    /** Whether other readers of this JVM may join for a limited time. */
    boolean isJoinable;

    /** Number of renewals and downgrades without an outcome. */
    short renewalsOpen;

    /**
     * Whether commands go to another server to which no renewal was sent yet. Earlier replies prove nothing about it.
     */
    boolean isServerNew;

    /** Time from which the reply to the latest renewal counts as late. */
    long lateAt = NEVER;

    /**
     * Time of the latest message that the id was released by force, until a renewal is answered that was sent later, or
     * {@code null} if there is none.
     */
    @Nullable
    Moment revokedAt;

    /** Whether the owners were asked to release their grants. Any thread may read it. */
    volatile boolean isReleaseRequested;

    /** The acquisition of the writer that has become this reader, or {@code null} if there is none. */
    @Nullable
    Acquisition former;

    /** Whether the store has answered the downgrade of this writer, whose id no longer owns the lock then. */
    boolean isDowngraded;

    // Ending

    /** The grant whose owner waits for the outcome of the release, or {@code null} if there is none. */
    @Nullable
    Grant releasing;

    /** Whether a release is under way. */
    boolean isReleasing;

    /**
     * The refusal of the last waiter, which is reported when the id has left the line, or {@code null} if there is
     * none.
     */
    @Nullable
    PendingRefusal pendingRefusal;

    /** Time from which a release is not repeated. */
    long giveUpAt;

    /** Number of grants that were lost because their time was over and that their owners have not released. */
    int lostGrants;

    /** Number of failures in a row, which determines the next pause. */
    byte failures;

    Acquisition(String id, GrantKind kind, Moment now) {
        this.id = id;
        this.kind = kind;
        this.notOwnerAt = now;
        this.dueAt = now.nanos();
    }

    /** Returns whether a message about the id concerns this acquisition: it has the id, or was the writer with it. */
    boolean isMeant(String messageId) {
        return this.id.equals(messageId) || (this.former != null && this.former.id.equals(messageId));
    }

    /** Schedules the next attempt at the given time, unless an earlier one is scheduled. */
    void askAt(long time) {
        if (this.phase == Phase.ASKING) {
            this.dueAt = Math.min(this.dueAt, time);
        }
    }

    /**
     * Returns the nanoseconds for which the owner may rely on the lease, by the stricter of the two clocks. Not
     * positive if the validity has ended. Any thread may call this method.
     */
    long remaining(Moment now) {
        long left = this.validUntil - now.nanos();
        return Math.min(left, (this.validUntilWall - now.wallMillis()) * MILLI);
    }

    /**
     * Notes a lease that a command has set. The command with the later end determines both clocks.
     *
     * @param from time at which the command was sent
     * @param usable part of the lease on which the owner may rely, in nanoseconds
     */
    void extend(Moment from, long usable, long lease) {
        this.renewedAt = Math.max(this.renewedAt, from.nanos());
        if (from.nanos() + usable > this.validUntil) {
            this.storedUntil = from.nanos() + lease;
            this.validUntilWall = from.wallMillis() + (usable + MILLI - 1) / MILLI;
            this.validUntil = from.nanos() + usable;
        }
    }

    /** Starts a reader with the lease of the writer, on which it relies until the downgrade has a reply. */
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
        this.revokedAt = writer.revokedAt;
        this.isReleaseRequested = writer.isReleaseRequested;
        this.isConfirmed = false;
    }

    /** Returns whether this is a reader and the store may still have the id of the writer. */
    boolean isDowngrading() {
        return this.former != null && this.former.phase == Phase.SUSPENDED && !this.former.isDowngraded;
    }

    /**
     * Returns the time of the next renewal. It is aligned to slots of time, because renewals of many locks that are due
     * together share a command.
     */
    long nextRenewal() {
        long interval = this.terms.renewAfter();
        if (interval == NEVER) {
            return NEVER;
        }
        long due = this.renewedAt + interval;
        return due - due % Math.max(1, interval / Rules.SLOTS_IN_AN_INTERVAL);
    }

    /** Returns whether an owner needs renewals, or the store has not confirmed the full lease yet. */
    boolean needsRenewal(Moment now) {
        boolean isWanted = !this.isConfirmed;
        for (Grant each = this.grant; each != null; each = each.next) {
            isWanted |= each.renewUntil > now.nanos();
        }
        return isWanted;
    }

    /** Returns whether the store may still execute an attempt, or may have executed one that has no reply. */
    boolean isUnsettled(Moment now) {
        // An acquire that waits to be written has not reached the store.
        return this.openAttempts > this.waitingAttempts || this.unsettledUntil > now.nanos();
    }

    /**
     * Returns whether the id stands in the line of the store or was granted the lock from it, as far as this JVM has
     * been notified.
     */
    boolean standsInLine() {
        return (this.hasJoined && this.hasReply) || this.isNotified;
    }

    boolean isUnknownToStore() {
        return !(this.hasJoined && this.hasReply) && this.openAttempts == 0 && this.unsettledUntil == BEFORE;
    }

    /** Returns whether a message has reported that the store granted the lock from its line. */
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

    /**
     * Notes that the owner of a lost grant no longer uses it. After the last such owner, the id is released without a
     * delay.
     */
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
