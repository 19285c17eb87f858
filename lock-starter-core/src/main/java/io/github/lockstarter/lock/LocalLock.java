package io.github.lockstarter.lock;

import static io.github.lockstarter.lock.Moment.BEFORE;
import static io.github.lockstarter.lock.Moment.MILLI;
import static io.github.lockstarter.lock.Moment.NEVER;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Acquisition.Phase;
import io.github.lockstarter.lock.Effects.Way;
import io.github.lockstarter.lock.Refusal.Cause;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.Successor;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one lock in one JVM: the waiters, the ids that this JVM uses in the store, the grants, and the
 * commands of unknown outcome. It has no thread, no clock and no I/O. It is not thread-safe: the caller holds the mutex
 * of the lock during each call, and passes the time.
 *
 * @see Delivery
 */
public final class LocalLock {

    /*
     * Implementation note.
     *
     * Inputs and effects. Each public method that changes the lock is an input. It records one fact: a waiter enters or
     * withdraws, an owner releases a grant, the store has replied, a command has failed, a message has arrived, or a
     * point in time is reached. From all recorded facts, advance() derives what must happen now. No input depends on
     * which inputs may follow, so a recorded fact cannot be missed by a later step. The results leave the lock through
     * Effects.
     *
     * Words. An acquisition has one id in the store: it asks for the lock, is held, and ends. The acquisition that asks
     * is the candidate of this JVM in the waiting line of the store. An attempt is a command that may grant the lock to
     * a candidate: an acquire, or a release that names the candidate as its successor. A grant is the right of one
     * owner to use the lock. It belongs to an acquisition, which several readers of this JVM may share. The weight of a
     * grant is the share of the lock that it takes: one reader, a number of permits, or the whole lock. A hand-over in
     * memory passes a held acquisition to the next waiter of this JVM.
     *
     * Invariants between two inputs. The simulation checks them after each input.
     *   1. There is a candidate if and only if there is a first waiter and this JVM does not hold the whole lock. The
     *      candidate has the kind of the first waiter. A reader needs no candidate if it will join a writer that
     *      becomes a reader. If this JVM holds shared grants, its first waiter stands in the line of the store, and no
     *      later waiter can overtake it.
     *   2. Held acquisitions are compatible with each other. Each of them has at least one live grant. Only readers
     *      share an acquisition, so any other acquisition has exactly one.
     *   3. Waiters are granted the lock in the order of their arrival, regardless of their kinds. Each wait ends once.
     *   4. Nothing is due before dueAt.
     *
     * Rules. The parentheses name methods and, after the name of a module, actions of the specification in spec/.
     *   - The validity of a grant is counted from the time at which a command was sent that the store has executed, and
     *     never from the receipt of a reply or a message. It ends a margin before the lease, by the stricter of two
     *     clocks (Acquisition.extend; LeaseLock: Granted, Renewed).
     *   - A refusal states a fact. A waiter whose time is up stays in the queue until an attempt that was made while it
     *     waited has an outcome, but for no longer than a command timeout (endOverdueWaits).
     *   - A waiter counts for the limit of waiters from its entry if others wait or this JVM holds the whole lock, and
     *     otherwise from the refusal of its first attempt. A waiter that would exceed its limit is refused at its
     *     entry, before any command. If the first waiter begins to count later, the last one is refused (beginToWait).
     *   - A message proves a grant from the waiting line if it cannot be about an older grant (isProof; HandOver and
     *     SharedHandOver: Notified). A renewal follows immediately. Any other message is a hint, after which the
     *     candidate asks the store.
     *   - The outcome of a command may be unknown. A command without a reply may have been executed, or may still be
     *     executed. Therefore the release of an id is repeated until the store has answered a release that was sent
     *     after the last attempt of the id had its outcome, and at least a lease after each attempt without a reply
     *     (isOver; WaitingLine: Repeat). An id is never used again.
     *   - If the store grants the lock to an id that no waiter needs, the id is released immediately (notified).
     *   - A message about a forced release causes a renewal that is sent after it, and only its reply ends a grant
     *     (revoked; Revocation: Notified, Renewed).
     *   - A hand-over in memory changes nothing in the store: the id and the end of the lease stay the same. It is
     *     possible between waiters of the same kind and weight. Hand-overs are limited in time and number, because
     *     other JVMs must get their turn. A writer gets the next token. There is at most one for each microsecond since
     *     the grant, less the margin, which keeps tokens below the next token of the store. A permit keeps its token,
     *     because the tokens of other permits lie between it and the next token (mayHandOver; LeaseLock: PassOn,
     *     Shared: PassPermitOn). The candidate stays in the line for the waiter behind.
     *   - Readers of this JVM share an acquisition. They may join it for a bounded time after the store has granted it,
     *     also before a renewal has confirmed a grant by message, which it then confirms for all of them. Only the
     *     first waiter may join, so a reader never overtakes a writer of this JVM (sharedAcquisition; SharedWaiting:
     *     Join).
     *   - A downgrade is repeated, instead of a renewal, until the store has answered it. The id of the writer is kept,
     *     because it may still own the lock, and is released after the id of the reader (Downgrade: Downgrade,
     *     DowngradeAgain).
     *   - A minimum hold belongs to the acquisition. A release before its end keeps the lock taken until that time
     *     (MinimumHold: Keep).
     *   - With needsConfirmation, a grant is proved only by the reply to a command of the granted id itself (Replicas:
     *     Send, Confirmed).
     *   - After an error of the JVM, the lock fails as a whole and is not repaired (failStop).
     *   - A grant is lost when its validity ends, but its id is not released before the lease ends in the store. The
     *     margin between these times lets the owner react. If the owner releases the lost grant, the id is released
     *     earlier.
     *
     * Units. Times are nanoseconds of the monotonic clock. Commands to the store use milliseconds.
     *
     * Cost. With n waiters, entering, leaving and timing out take O(log n), and a refusal by the limit of waiters
     * O(limit). With s acquisitions, each input takes O(s).
     * There is one acquisition for an exclusive lock or for all its readers, and one for each grant of permits.
     *
     * Sources. Gray and Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file cache
     * consistency" (1989). Mellor-Crummey and Scott, "Algorithms for scalable synchronization on shared-memory
     * multiprocessors" (1991), for the hand-over to the first waiter in line. Dice, Marathe and Shavit, "Lock
     * cohorting" (2012), for the bounded number of hand-overs within one JVM.
     */

    /** The pause after the first of several failures. */
    private static final long FIRST_PAUSE = 50 * MILLI;

    /** The proof of an acquisition that is not in phase ASKING. */
    private static final Moment NO_PROOF = new Moment(BEFORE, BEFORE);

    /** Maximum random delay with which a waiter asks after the lease of the owner has ended. */
    private static final long WAKE_SPREAD = 20 * MILLI;

    /** Maximum number of renewals of one acquisition that may be without a reply when another one is sent. */
    static final int MAX_RENEWALS = 4;

    public final String name;

    final Rules rules;

    private final Effects out;

    /** {@link WaiterQueue#NONE} until the first waiter enters, and again after a renewal without waiters. */
    WaiterQueue waiters = WaiterQueue.NONE;

    /** Head of the linked list of acquisitions, or {@code null} if there is none. */
    @Nullable
    Acquisition acquisitions;

    /** The acquisition that asks for the lock, or {@code null} if there is none. */
    @Nullable
    Acquisition candidate;

    private boolean stopped;

    /** Time at which the caller must call {@link #timeReached}, or {@link Moment#NEVER}. The caller only reads it. */
    public long dueAt = NEVER;

    /** Whether this JVM holds the lock, in which case something may have to be renewed in time. */
    public boolean isHeld;

    /**
     * The outcome that the present input reports of an attempt that has not granted the lock, otherwise {@code null}.
     */
    private @Nullable Outcome outcome;

    /** The last reply that refused a candidate, or {@code null} if there was none. */
    private Reply.@Nullable Taken lastTaken;

    /** Whether a fact has changed that may allow overdue waiters to be refused. */
    private boolean overdueMayEnd;

    LocalLock(String name, Rules rules, Effects out) {
        this.name = name;
        this.rules = rules;
        this.out = out;
    }

    // ---- Inputs: waiters

    /** Adds a waiter. Its wait ends with exactly one effect, possibly before this method returns. */
    public void enter(Waiter waiter, Moment now) {
        if (this.waiters == WaiterQueue.NONE) {
            // The allocation precedes all changes, because it can fail.
            this.waiters = new WaiterQueue();
        }
        waiter.enteredAt = now.nanos();
        if (this.stopped) {
            this.out.refused(waiter, refusal(Cause.STOPPED, null, false));
            return;
        }
        waiter.deadline = Moment.sum(now.nanos(), waiter.waitTime);
        if (this.acquisitions != null && isUsedOtherwise(waiter.kind)) {
            // The store would reject this use, but a waiter that is incompatible with the grants of this JVM may not
            // ask.
            this.out.refused(waiter, refusal(Cause.STORE_FAILED, waiter.kind.rejectedUse(this.name), false));
            return;
        }
        if (waiter.waitTime > 0 && (this.waiters.first != null || this.acquisitions != null)) {
            Refusal byLimit = refusalByLimit(waiter);
            if (byLimit != null) {
                this.out.refused(waiter, byLimit);
                return;
            }
            waiter.isWaiting = mustWait(waiter);
        }
        this.waiters.add(waiter, waiter.deadline);
        advance(now);
    }

    /**
     * Ends a wait for the given cause.
     *
     * @return {@code false} if the wait has already ended
     */
    public boolean withdraw(Waiter waiter, Cause cause, Moment now) {
        if (!waiter.isQueued) {
            return false;
        }
        refuse(waiter, cause, null, now);
        advance(now);
        return true;
    }

    // ---- Inputs: owners

    /**
     * Releases the grant, whose owner has ended its work. The owner of a lost grant calls this method as well.
     *
     * @return whether the grant was live; if it was, {@link Effects#released} follows
     */
    public boolean release(Grant grant, Moment now) {
        Acquisition acquisition = grant.acquisition;
        endIfExpired(acquisition, now);
        boolean isLive = grant.isLive();
        if (isLive) {
            Waiter next = this.waiters.first;
            if (acquisition.isShared()) {
                // This call allocates, so it precedes the removal: a grant without an acquisition would never end.
                released(grant, null);
                acquisition.remove(grant);
            } else if (next != null && mayHandOver(grant, next, now)) {
                released(grant, null);
                acquisition.remove(grant);
                handOver(acquisition, next, now);
            } else {
                grant.state = Grant.State.RELEASING;
                acquisition.releasing = grant;
                acquisition.remove(grant);
                end(acquisition, now.nanos(), now);
                boolean needsCandidate = acquisition.keepUntil <= now.nanos() && this.candidate == null;
                sendRelease(
                        acquisition,
                        next != null && needsCandidate && mayAsk(next) ? newCandidate(next.kind, now) : null,
                        now);
            }
        } else {
            returned(grant, now);
        }
        advance(now);
        return isLive;
    }

    /**
     * Releases a grant that did not reach an owner. Unlike {@link #release}, it cancels the minimum hold of the
     * request.
     */
    public boolean giveBack(Grant grant, Moment now) {
        if (grant.isLive() && !grant.acquisition.isShared()) {
            grant.acquisition.keepUntil = BEFORE;
        }
        return release(grant, now);
    }

    /** Notes that the owner of a lost grant no longer uses it. */
    private void returned(Grant grant, Moment now) {
        if (grant.state == Grant.State.LOST && !grant.isReturned) {
            this.out.released(grant, null);
            grant.isReturned = true;
            grant.acquisition.ownerIsDone(now);
        }
    }

    /**
     * Turns the grant of a writer into a grant of a reader, which begins immediately with the remaining lease of the
     * writer.
     *
     * @param reader describes the reader; it does not wait
     * @return the grant of the reader, or {@code null} if the grant of the writer was not live, in which case the call
     *     counts as its release
     */
    @Nullable
    public Grant downgrade(Grant writer, Waiter reader, Moment now) {
        endIfExpired(writer.acquisition, now);
        if (!writer.isLive()) {
            returned(writer, now);
            advance(now);
            return null;
        }
        Acquisition former = writer.acquisition;
        Acquisition acquisition = new Acquisition(GrantKind.readerOf(former.id), GrantKind.READER, now);
        acquisition.continueFrom(former, reader.terms);
        // Readers that wait first in this JVM may join for the same time as after a grant of the store. The time is
        // limited because a writer of another JVM may stand in line.
        acquisition.grantedAt = now.nanos();
        acquisition.isJoinable = reader.terms.isShareable();
        add(acquisition);
        released(writer, null);
        former.remove(writer);
        former.phase = Phase.SUSPENDED;
        Grant grant = grant(acquisition, reader, Way.DOWNGRADED, now);
        // The first renewal sends the downgrade, see sendRenewal.
        acquisition.dueAt = now.nanos();
        advance(now);
        return grant;
    }

    /**
     * Renews the grant immediately with the given lease, because a nested hold has requested a lease that is longer
     * than the remaining one.
     */
    public void lengthen(Grant grant, long lease, Moment now) {
        if (grant.isLive()) {
            sendRenewal(grant.acquisition, lease, now);
        }
        advance(now);
    }

    /**
     * Changes how long the grant is renewed, because a nested hold begins or ends.
     *
     * @param terms the lease and the interval of renewals
     * @param until time until which the grant is renewed, or {@link Moment#BEFORE} if it is not renewed
     */
    public void renewUntil(Grant grant, Terms terms, long until, Moment now) {
        Acquisition acquisition = grant.acquisition;
        endIfExpired(acquisition, now);
        grant.renewUntil = until;
        if (grant.isLive() && until > now.nanos()) {
            acquisition.terms = terms;
            acquisition.isConfirmed &= acquisition.storedUntil - acquisition.renewedAt >= terms.lease();
            acquisition.dueAt =
                    acquisition.isConfirmed ? Math.min(acquisition.dueAt, acquisition.nextRenewal()) : now.nanos();
        }
        advance(now);
    }

    /** Adds the minimum hold of a nested hold, which begins now. The latest end of all minimum holds applies. */
    public void keep(Grant grant, long minHold, Moment now) {
        if (grant.isLive()) {
            grant.acquisition.keepUntil = Math.max(grant.acquisition.keepUntil, Moment.sum(now.nanos(), minHold));
        }
    }

    /** Declares the grant lost, because a system other than the store has observed a later owner. */
    public void takenOver(Grant grant, Moment now) {
        if (grant.isLive()) {
            loseAll(grant.acquisition, LossReason.TAKEN_OVER);
            end(grant.acquisition, now.nanos(), now);
        }
        advance(now);
    }

    /**
     * Stops the renewal of a grant that can no longer be released, because there is no reference to it. The grant is
     * lost when its lease ends.
     */
    public void abandon(Grant grant, Moment now) {
        grant.abandoned = true;
        grant.renewUntil = BEFORE;
        advance(now);
    }

    // ---- Inputs: time and store

    public void timeReached(Moment now) {
        advance(now);
    }

    /** Returns whether the lock has an acquisition with the given id. */
    public boolean knows(String id) {
        return find(id) != null;
    }

    /**
     * Processes a message that the store has granted the lock to an id of this JVM from its waiting line. The message
     * may be late, repeated or wrong.
     */
    public void notified(String id, long token, Moment now) {
        Acquisition acquisition = find(id);
        if (acquisition == null) {
            if (!this.stopped) {
                // The wait has ended long ago. The id is released, because the next owner would otherwise wait for the
                // end of its lease.
                acquisition = new Acquisition(id, GrantKind.of(id), now);
                add(acquisition);
                end(acquisition, now.nanos(), now);
            }
        } else if (acquisition.phase == Phase.ASKING) {
            acquisition.isNotified = true;
            if (isProof(acquisition, token, now)) {
                beginHold(acquisition, token, acquisition.notOwnerAt, this.rules.claim(), Way.MESSAGE, now);
            } else {
                acquisition.dueAt = now.nanos();
            }
        } else if (acquisition.phase == Phase.ENDING) {
            // The store may have executed the release that is under way before the grant.
            acquisition.settledAt = now.nanos();
            releaseSoon(acquisition, now);
        }
        advance(now);
    }

    /**
     * Processes a message that an id of this JVM was released by force. The message may be late, repeated or wrong, so
     * the grants of the id are checked by a renewal, even if another renewal is under way. A token is not compared: the
     * token of a grant that was handed over in memory is larger than the token in the store.
     */
    public void revoked(String id, Moment now) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.isMeant(id)) {
                acquisition.revokedAt = now;
                if (acquisition.phase == Phase.HELD) {
                    acquisition.dueAt = now.nanos();
                }
            }
        }
        advance(now);
    }

    /**
     * Processes a message that asks the owners of an id of this JVM to release their grants. The message may be late,
     * repeated or wrong, so it changes nothing but what the owners are told, once for each grant. If it arrives before
     * the reply that grants the lock, the grant begins with it.
     *
     * @return whether an owner is told, or was told before
     */
    public boolean releaseRequested(String id) {
        boolean isHeldByOwner = false;
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.isMeant(id)) {
                boolean isHeld = acquisition.phase == Phase.HELD;
                isHeldByOwner |= isHeld;
                for (Grant grant = isHeld && !acquisition.isReleaseRequested ? acquisition.grant : null;
                        grant != null;
                        grant = grant.next) {
                    this.out.releaseRequested(grant);
                }
                acquisition.isReleaseRequested = true;
            }
        }
        return isHeldByOwner;
    }

    /** Lets the candidate ask the store, because messages may have been lost. */
    public void notificationsMayBeLost(Moment now) {
        askNow(now);
        advance(now);
    }

    /**
     * Notes that commands now go to another server. Earlier grants may be missing there, and it may have granted the
     * lock without a message.
     */
    public void serverChanged(Moment now) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            acquisition.hasProofGap = true;
            acquisition.isServerNew = true;
            if (acquisition.phase == Phase.HELD && acquisition.terms.isRenewed()) {
                acquisition.dueAt = now.nanos();
            } else if (acquisition.phase == Phase.ENDING) {
                releaseSoon(acquisition, now);
            }
        }
        askNow(now);
        advance(now);
    }

    /** The store has replied to a command. */
    public void replied(Sent sent, Reply reply, Moment now) {
        Acquisition acquisition = sent.acquisition;
        Command command = sent.command;
        if (command instanceof Command.Acquire) {
            attemptAnswered(acquisition, sent, reply, now);
        } else if (command instanceof Command.Release) {
            releaseAnswered(acquisition, sent, reply, now);
        } else {
            if (command instanceof Command.Downgrade) {
                attemptOver(acquisition, sent, now);
            }
            acquisition.renewalsOpen--;
            if (acquisition.phase == Phase.HELD) {
                renewalAnswered(acquisition, sent, reply, now);
            }
        }
        advance(now);
    }

    /**
     * Processes a command that has no usable reply. Unless its outcome is known, the store may have executed it, or may
     * still execute it.
     *
     * @see LockStoreException#isOutcomeUnknown()
     */
    public void failed(Sent sent, LockStoreException cause, Moment now) {
        Acquisition acquisition = sent.acquisition;
        Command command = sent.command;
        if (command instanceof Command.Acquire) {
            attemptFailed(acquisition, sent, cause, now);
            if (acquisition.phase == Phase.ASKING) {
                candidateFailed(acquisition, cause, now);
            }
        } else if (command instanceof Command.Release) {
            Acquisition successor = sent.successor;
            if (successor != null) {
                attemptFailed(successor, sent, cause, now);
                successor.askAt(now.nanos());
            }
            releaseOver(acquisition, cause);
            reportRefusal(acquisition);
            repeatRelease(acquisition, now);
        } else {
            if (command instanceof Command.Downgrade) {
                attemptFailed(acquisition, sent, cause, now);
            }
            acquisition.renewalsOpen--;
            if (acquisition.phase == Phase.HELD) {
                for (Grant each = acquisition.grant; each != null; each = each.next) {
                    this.out.renewalFailed(each, sent.at, cause);
                }
                if (acquisition.needsRenewal(now)) {
                    atRisk(acquisition, cause);
                }
                acquisition.dueAt =
                        Moment.sum(now.nanos(), pause(acquisition, Rules.maxRenewalPause(acquisition.terms.lease())));
            }
        }
        advance(now);
    }

    // ---- Inputs: the end of the engine

    /** Refuses all present and future waiters. Grants continue until they are released. */
    public void stop(Moment now) {
        refuseAll();
        advance(now);
    }

    private void refuseAll() {
        this.stopped = true;
        for (Waiter waiter = this.waiters.first; waiter != null; waiter = this.waiters.first) {
            this.out.refused(waiter, refusal(Cause.STOPPED, null, false));
            this.waiters.remove(waiter);
        }
    }

    /**
     * Declares all live grants lost, because the engine no longer renews them. Their keys are not released, because the
     * code that they protect may still run.
     */
    public void giveUp(Moment now) {
        refuseAll();
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD) {
                loseAll(acquisition, LossReason.SHUTDOWN);
            }
        }
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            reportRefusal(acquisition);
            acquisition.phase = Phase.OVER;
        }
        this.acquisitions = null;
        advance(now);
    }

    /**
     * Restarts the lock after an error, such as an exhausted heap, that has ended an input at an unknown place or has
     * left a fact unrecorded. All grants are lost and all waiters are refused. Only the ids are still used: each is
     * released until a reply proves its end. The id of a lost grant is released when its owner is done or when its
     * lease has ended in the store.
     *
     * @param cause reported to callers that wait for an outcome, which is unknown
     */
    void failStop(LockStoreException cause, Moment now) {
        for (Waiter waiter = this.waiters.first; waiter != null; waiter = this.waiters.first) {
            this.out.refused(waiter, refusal(Cause.STORE_FAILED, cause, true));
            this.waiters.remove(waiter);
        }
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
                if (grant.isLive()) {
                    lost(grant, LossReason.FAILED);
                    acquisition.lostGrants += grant.owner.isAlive() ? 1 : 0;
                }
            }
            releaseOver(acquisition, cause);
            reportRefusal(acquisition);
        }
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.waitingAttempts > 0) {
                withdraw(acquisition);
            }
            // Commands may be under way, and the outcome of others may have been missed. A renewal or a downgrade may
            // still extend the lease.
            boolean mayBeExtended = acquisition.renewalsOpen > 0 || acquisition.openAttempts > 0;
            acquisition.openAttempts = 0;
            acquisition.unsettledUntil =
                    Moment.sum(now.nanos(), Moment.sum(this.rules.commandTimeout(), acquisition.longestLease));
            acquisition.giveUpAt = Math.max(acquisition.giveUpAt, giveUpAt(acquisition, acquisition.unsettledUntil));
            acquisition.isReleasing = false;
            if (mayBeExtended) {
                acquisition.storedUntil = Math.max(acquisition.storedUntil, acquisition.unsettledUntil);
            }
            if (acquisition.phase != Phase.OVER) {
                end(
                        acquisition,
                        acquisition.lostGrants > 0 ? Math.max(now.nanos(), acquisition.storedUntil) : now.nanos(),
                        now);
            }
        }
        this.candidate = null;
        this.lastTaken = null;
        this.outcome = null;
        this.overdueMayEnd = false;
        advance(now);
    }

    // ---- What follows from the facts

    /**
     * Derives from all facts what must happen now, in this order: grants end or are renewed, waiters whose time is up
     * or that exceed their limit are refused, readers join an acquisition, the candidate follows the first waiter and
     * asks the store, ids that have ended are released, and acquisitions that are over are removed.
     */
    private void advance(Moment now) {
        checkGrants(now);
        Waiter first = this.waiters.first;
        if (first != null) {
            endOverdueWaits(now);
            first = this.waiters.first;
            Outcome known = this.outcome;
            if (first != null && !first.isWaiting && known != null) {
                beginToWait(first, known, now);
                first = this.waiters.first;
            }
        }
        while (first != null) {
            Acquisition shared = sharedAcquisition(first, now);
            if (shared == null) {
                break;
            }
            grant(shared, first, Way.JOINED, now);
            first = this.waiters.first;
        }
        Acquisition candidate = this.candidate;
        if (candidate != null && (first == null || !candidate.kind.equals(first.kind))) {
            leaveLine(candidate, now);
            candidate = null;
        }
        if (first != null && candidate == null && mayAsk(first)) {
            candidate = newCandidate(first.kind, now);
        }
        if (first != null && candidate != null) {
            askIfDue(candidate, first, now);
        }
        long next = first != null ? this.waiters.dueAt() : NEVER;
        Acquisition before = null;
        Acquisition acquisition = this.acquisitions;
        boolean holds = false;
        while (acquisition != null) {
            holds |= acquisition.phase == Phase.HELD;
            if (acquisition.phase == Phase.ENDING && !acquisition.isReleasing && acquisition.dueAt <= now.nanos()) {
                sendRelease(acquisition, null, now);
            }
            if (acquisition.pendingRefusal != null && acquisition.pendingRefusal.latest() <= now.nanos()) {
                reportRefusal(acquisition);
            }
            Acquisition behind = acquisition.next;
            if (acquisition.phase != Phase.OVER) {
                next = Math.min(next, nextDue(acquisition, now));
                before = acquisition;
            } else {
                // A lease object that a user keeps refers to its acquisition, which must not keep other acquisitions
                // reachable.
                acquisition.next = null;
                if (before == null) {
                    this.acquisitions = behind;
                } else {
                    before.next = behind;
                }
            }
            acquisition = behind;
        }
        this.outcome = null;
        this.dueAt = next;
        this.isHeld = holds;
    }

    /** Returns the time at which the acquisition needs the next action, or {@link Moment#NEVER}. */
    private static long nextDue(Acquisition acquisition, Moment now) {
        return switch (acquisition.phase) {
            case ASKING -> acquisition.dueAt;
            case HELD -> Math.min(acquisition.dueAt, Moment.sum(now.nanos(), Math.max(0, acquisition.remaining(now))));
            case ENDING ->
                Math.min(
                        acquisition.isReleasing ? NEVER : acquisition.dueAt,
                        acquisition.pendingRefusal != null ? acquisition.pendingRefusal.latest() : NEVER);
            // A suspended acquisition has been replaced by the acquisition of a reader, and ends with it.
            case SUSPENDED, OVER -> NEVER;
        };
    }

    /** Ends expired grants, and renews grants that are due. */
    private void checkGrants(Moment now) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD) {
                endIfExpired(acquisition, now);
            }
            if (acquisition.phase == Phase.HELD && acquisition.dueAt <= now.nanos()) {
                renewOrEnd(acquisition, now);
            }
        }
    }

    private void endIfExpired(Acquisition acquisition, Moment now) {
        if (acquisition.phase == Phase.HELD && acquisition.remaining(now) <= 0) {
            for (Grant each = acquisition.grant; each != null; each = each.next) {
                lost(each, reasonOfExpiry(each, now));
                acquisition.lostGrants++;
            }
            // In the store, the lease ends a margin later, which gives the owners time to react.
            end(acquisition, acquisition.storedUntil, now);
        }
    }

    private static LossReason reasonOfExpiry(Grant grant, Moment now) {
        if (grant.abandoned) {
            return LossReason.OWNER_DIED;
        }
        return grant.renewUntil != BEFORE && grant.renewUntil <= now.nanos() ? LossReason.MAX_HOLD : LossReason.EXPIRED;
    }

    // ---- The limit of waiters

    /** Returns whether a waiter that enters now cannot ask the store, because others wait or this JVM has the lock. */
    private boolean mustWait(Waiter waiter) {
        return this.waiters.first != null || !mayAsk(waiter);
    }

    /**
     * Returns the refusal of a waiter that enters now, is prepared to wait, would have to, and would exceed its limit.
     * Returns {@code null} if it may enter.
     */
    public @Nullable Refusal refusalByLimit(Waiter waiter) {
        boolean isAbove = mustWait(waiter) && this.waiters.isFull(this.rules.maxWaiters(waiter.request));
        return isAbove ? refusal(Cause.QUEUE_FULL, null, false) : null;
    }

    /** Lets the first waiter count if its attempt was refused, and refuses the waiters that then exceed their limit. */
    private void beginToWait(Waiter first, Outcome known, Moment now) {
        if (first.waitTime == 0 || known.cause != Cause.HELD_BY_OTHERS || known.askedAt < first.enteredAt) {
            return;
        }
        first.isWaiting = true;
        int ahead = 0;
        Waiter next;
        for (Waiter each = first; each != null; each = next) {
            next = each.next;
            if (each.isWaiting && ahead >= this.rules.maxWaiters(each.request)) {
                refuse(each, Cause.QUEUE_FULL, null, now);
            } else if (each.isWaiting) {
                ahead++;
            }
        }
    }

    // ---- The end of waits

    /** Refuses waiters whose time is up as soon as the cause is known. */
    private void endOverdueWaits(Moment now) {
        if (this.overdueMayEnd) {
            this.overdueMayEnd = false;
            for (Waiter waiter : this.waiters.takeOverdue()) {
                if (waiter.isQueued && !refuseIfKnown(waiter, now)) {
                    this.waiters.addOverdue(waiter);
                }
            }
        }
        while (this.waiters.dueAt() <= now.nanos()) {
            Waiter waiter = Objects.requireNonNull(this.waiters.nextDue());
            if (refuseIfKnown(waiter, now)) {
                continue;
            }
            long latest = Moment.sum(waiter.deadline, this.rules.commandTimeout());
            Acquisition candidate = this.candidate;
            // No attempt was written during a whole command timeout.
            boolean isOverload = candidate != null
                    && candidate.waitingAttempts > 0
                    && candidate.waitingAttempts == candidate.openAttempts
                    && !candidate.hasReply
                    && waiter.waitTime >= this.rules.commandTimeout();
            if (latest <= now.nanos() || isOverload) {
                refuse(waiter, Cause.STORE_FAILED, null, now);
                continue;
            }
            this.waiters.postpone(latest);
            this.waiters.addOverdue(waiter);
            if (candidate != null && (candidate.askedAt < waiter.enteredAt || candidate.isAnswered)) {
                candidate.dueAt = now.nanos();
            }
        }
    }

    private boolean refuseIfKnown(Waiter waiter, Moment now) {
        Waiter first = Objects.requireNonNull(this.waiters.first);
        if (!fits(first) || !fits(waiter)) {
            boolean isRejected = isUsedOtherwise(waiter.kind);
            refuse(
                    waiter,
                    isRejected ? Cause.STORE_FAILED : Cause.HELD_BY_OTHERS,
                    isRejected ? waiter.kind.rejectedUse(this.name) : null,
                    now);
            return true;
        }
        Outcome known = this.outcome;
        // Only an attempt that was made while the waiter waited can justify its refusal.
        if (known == null || known.askedAt < waiter.enteredAt) {
            return false;
        }
        if (othersMayBeExecuted(known)) {
            return false;
        }
        refuse(waiter, known.cause, known.failure, now);
        return true;
    }

    /**
     * Returns whether the store has rejected an attempt while others are open. Their outcomes must show that the store
     * has executed none of them.
     */
    private boolean othersMayBeExecuted(Outcome known) {
        Acquisition candidate = this.candidate;
        return known.failure != null
                && !known.failure.isOutcomeUnknown()
                && candidate != null
                && candidate.openAttempts > candidate.waitingAttempts;
    }

    /**
     * Ends a wait without a grant. The refusal of the last waiter is reported after its place in the line of the store
     * is gone, because the store could still grant the lock to it and refuse others. The report follows at the latest a
     * command timeout after the end of the wait.
     */
    private void refuse(Waiter waiter, Cause cause, @Nullable LockStoreException failure, Moment now) {
        Acquisition candidate = this.candidate;
        boolean isLast = waiter.previous == null && waiter.next == null;
        if (candidate != null && isLast && candidate.waitingAttempts > 0) {
            withdraw(candidate);
        }
        Refusal refusal = refusal(cause, failure, candidate != null && candidate.isUnsettled(now));
        if (candidate != null && isLast && cause != Cause.STORE_FAILED && mustLeaveFirst(candidate, now)) {
            long latest = Moment.sum(Math.min(waiter.deadline, now.nanos()), this.rules.commandTimeout());
            candidate.pendingRefusal = new Acquisition.PendingRefusal(waiter, refusal, latest);
            this.waiters.remove(waiter);
            leaveLine(candidate, now);
        } else {
            // This call allocates, so it precedes the removal: if memory is exhausted, the waiter stays and is refused
            // again.
            this.out.refused(waiter, refusal);
            this.waiters.remove(waiter);
        }
    }

    private void reportRefusal(Acquisition acquisition) {
        Acquisition.PendingRefusal pendingRefusal = acquisition.pendingRefusal;
        if (pendingRefusal != null) {
            this.out.refused(pendingRefusal.waiter(), pendingRefusal.refusal());
            acquisition.pendingRefusal = null;
        }
    }

    /**
     * Returns whether the refusal of the last waiter is reported only after the candidate has left the line of the
     * store. The candidate must be able to stand there, and no attempt may show that the store does not answer.
     */
    private boolean mustLeaveFirst(Acquisition candidate, Moment now) {
        return !candidate.isUnknownToStore()
                && candidate.failures == 0
                && candidate.unsettledUntil == BEFORE
                && (candidate.openAttempts == 0 || now.nanos() - candidate.askedAt < this.rules.poll());
    }

    private Refusal refusal(Cause cause, @Nullable LockStoreException failure, boolean mayBeGranted) {
        Reply.Taken last = this.lastTaken;
        return last != null
                ? new Refusal(cause, failure, last.owner(), last.used(), mayBeGranted)
                : new Refusal(cause, failure, null, 0, mayBeGranted);
    }

    // ---- Asking

    /** Creates an acquisition with a new id, which is the candidate until it is granted the lock or ends. */
    private Acquisition newCandidate(GrantKind kind, Moment now) {
        Acquisition acquisition = new Acquisition(this.out.id(kind), kind, now);
        add(acquisition);
        this.candidate = acquisition;
        return acquisition;
    }

    private void askIfDue(Acquisition acquisition, Waiter first, Moment now) {
        // The attempts so far were made for waiters that tried only once and have left.
        boolean joinsNow = first.waitTime > 0 && !acquisition.hasJoined && acquisition.openAttempts == 0;
        if (!joinsNow && acquisition.dueAt > now.nanos()) {
            return;
        }
        if (acquisition.waitingAttempts > 0) {
            // An attempt already waits to be written, and another one would not be faster.
            acquisition.dueAt = NEVER;
            return;
        }
        boolean join = acquisition.hasJoined || first.waitTime > 0;
        attemptBegan(acquisition, join, now);
        acquisition.terms = first.terms;
        send(new Command.Acquire(this.name, acquisition.id, millis(first.terms.lease()), join), acquisition, null, now);
    }

    private void add(Acquisition acquisition) {
        acquisition.next = this.acquisitions;
        this.acquisitions = acquisition;
    }

    /**
     * Notes that an attempt is sent.
     *
     * @param join whether it asks for a place in the line
     */
    private static void attemptBegan(Acquisition acquisition, boolean join, Moment now) {
        acquisition.openAttempts++;
        acquisition.hasJoined |= join;
        acquisition.askedAt = now.nanos();
        acquisition.isAnswered = false;
        acquisition.isServerNew = false;
        // The outcome of the attempt decides when the next one follows.
        acquisition.dueAt = NEVER;
    }

    /** Lets the candidate ask the store without a pause. */
    private void askNow(Moment now) {
        if (this.candidate != null) {
            this.candidate.dueAt = now.nanos();
        }
    }

    /** Notes that an attempt has its outcome, whatever it is. */
    private void attemptOver(Acquisition acquisition, Sent attempt, Moment now) {
        // After a fail-stop, no attempt counts as open.
        acquisition.openAttempts = (short) Math.max(0, acquisition.openAttempts - 1);
        acquisition.settledAt = now.nanos();
        acquisition.giveUpAt = Math.max(acquisition.giveUpAt, giveUpAt(acquisition, now.nanos()));
        acquisition.isAnswered |= attempt.at.nanos() >= acquisition.askedAt;
    }

    /** Notes that an attempt had no usable reply. Unless its outcome is known, the store may still execute it. */
    private void attemptFailed(Acquisition acquisition, Sent attempt, LockStoreException cause, Moment now) {
        attemptOver(acquisition, attempt, now);
        if (cause.isOutcomeUnknown()) {
            acquisition.unsettledUntil =
                    Math.max(acquisition.unsettledUntil, Moment.sum(now.nanos(), leaseOf(attempt)));
            acquisition.giveUpAt = Math.max(acquisition.giveUpAt, giveUpAt(acquisition, acquisition.unsettledUntil));
        }
        noteFailure(attempt.at, cause);
    }

    /** Notes a failure with which waiters may be refused whose time is up. */
    private void noteFailure(Moment askedAt, @Nullable LockStoreException cause) {
        this.outcome = new Outcome(askedAt.nanos(), Cause.STORE_FAILED, cause);
        this.overdueMayEnd = true;
    }

    /**
     * Handles the failure of an attempt of the candidate. A transient failure is followed by another attempt, and any
     * other failure refuses the first waiter.
     */
    private void candidateFailed(Acquisition acquisition, LockStoreException cause, Moment now) {
        Waiter first = this.waiters.first;
        if (cause.isTransient()) {
            if (first != null && first.waitTime == Waiter.FOREVER && acquisition.failures == 0) {
                this.out.waitsForStore(cause);
            }
            acquisition.dueAt = Moment.sum(now.nanos(), pause(acquisition, this.rules.poll()));
            return;
        }
        acquisition.dueAt = now.nanos();
        if (first != null && first.kind.equals(acquisition.kind)) {
            refuse(first, Cause.STORE_FAILED, cause, now);
        }
    }

    /**
     * Processes the reply to an attempt of the acquisition: an acquire, or the release that names it as its successor.
     */
    private void attemptAnswered(Acquisition acquisition, Sent attempt, Reply reply, Moment now) {
        attemptOver(acquisition, attempt, now);
        acquisition.hasReply = true;
        if (reply instanceof Reply.Granted granted) {
            boolean isProven = !(attempt.command instanceof Command.Release && this.rules.needsConfirmation());
            if (!isProven) {
                acquisition.askAt(now.nanos());
            } else if (acquisition.phase == Phase.ASKING) {
                Way way = attempt.successor == null ? Way.REPLY : Way.LOCAL;
                beginHold(acquisition, granted.token(), attempt.at, leaseOf(attempt), way, now);
            } else if (acquisition.phase == Phase.HELD) {
                // The attempt may have been made for a waiter that has left and had requested a longer lease.
                extend(acquisition, attempt, Math.min(leaseOf(attempt), acquisition.terms.lease()));
            }
        } else if (reply instanceof Reply.Taken taken) {
            Reply.Taken before = this.lastTaken;
            this.lastTaken = taken;
            String owner = taken.owner();
            if (owner != null && (before == null || !owner.equals(before.owner()))) {
                this.out.taken(owner);
            }
            attemptRefused(acquisition, attempt, taken.token(), taken.pollMillis() > 0, now);
            if (acquisition.phase == Phase.ASKING && attempt.at.nanos() >= acquisition.askedAt) {
                acquisition.askAt(Moment.sum(now.nanos(), pauseAfter(taken)));
            }
        } else if (reply instanceof Reply.InLine inLine) {
            attemptRefused(acquisition, attempt, inLine.token(), true, now);
            acquisition.askAt(Moment.sum(now.nanos(), jittered(this.rules.poll())));
        } else {
            // The release has ended no grant, so the store has not considered its successor.
            acquisition.askAt(now.nanos());
        }
    }

    /** Notes that the store has refused an attempt, because others hold the lock. */
    private void attemptRefused(Acquisition acquisition, Sent attempt, long ownerToken, boolean isInLine, Moment now) {
        this.outcome = new Outcome(attempt.at.nanos(), Cause.HELD_BY_OTHERS, null);
        this.overdueMayEnd = true;
        acquisition.failures = 0;
        if (isInLine && acquisition.phase == Phase.ASKING) {
            notOwner(acquisition, attempt.at, ownerToken, now);
        } else if (isInLine) {
            acquisition.isInLineAgain = true;
        }
    }

    /**
     * Returns the pause in nanoseconds until the next attempt, which ends with the lease of the owner or after the
     * interval that the store has set, whichever is earlier.
     */
    private long pauseAfter(Reply.Taken taken) {
        long interval = taken.pollMillis() > 0 ? taken.pollMillis() * MILLI : this.rules.poll();
        // An interval above the minimum means that other waiters are in front. The random part is larger, because many
        // waiters must not ask at the same moment.
        long spread = interval > this.rules.poll() ? this.rules.poll() : WAKE_SPREAD;
        return taken.remainingMillis() < interval / MILLI
                ? taken.remainingMillis() * MILLI + this.out.below(spread)
                : jittered(interval);
    }

    /**
     * Notes a proof that the acquisition did not own the lock at some time after the given moment. Successive proofs
     * form a chain. A grant that was made and has ended between two of them takes longer than a claim lease, so a
     * longer interval between them is a gap.
     */
    private void notOwner(Acquisition acquisition, Moment askedAt, long ownerToken, Moment now) {
        acquisition.hasProofGap |= claimLeft(acquisition, now) <= 0;
        if (askedAt.nanos() > acquisition.notOwnerAt.nanos()) {
            acquisition.notOwnerAt = askedAt;
        }
        acquisition.token = Math.max(acquisition.token, ownerToken);
    }

    /** Returns how long the latest proof is still part of the chain, see {@link #notOwner}. */
    private long claimLeft(Acquisition acquisition, Moment now) {
        return Rules.usable(this.rules.claim()) - now.since(acquisition.notOwnerAt);
    }

    /**
     * Returns whether a message proves a grant. An old message is about a grant that was made before the first proof of
     * the chain and has ended. Two signs show this: its token is not larger than the token of the owner at that time,
     * and the chain of proofs has a gap. Neither sign may be present. Both are checked, because tokens rely on the
     * clock of the server.
     */
    private boolean isProof(Acquisition acquisition, long token, Moment now) {
        Waiter first = Objects.requireNonNull(this.waiters.first);
        long lease = Math.min(this.rules.claim(), first.terms.lease());
        return lease > 0
                && acquisition.token > 0
                && token > acquisition.token
                && !acquisition.hasProofGap
                && acquisition.revokedAt == null
                && Rules.usable(lease) - now.since(acquisition.notOwnerAt) >= Rules.minLeftOfProof(lease);
    }

    /** Ends the candidate, because no waiter needs it. */
    private void leaveLine(Acquisition acquisition, Moment now) {
        this.candidate = null;
        if (acquisition.waitingAttempts > 0) {
            withdraw(acquisition);
        }
        if (acquisition.isUnknownToStore()) {
            acquisition.phase = Phase.OVER;
        } else {
            end(acquisition, now.nanos(), now);
        }
    }

    /** Withdraws the attempts that were not written yet, of which the store has nothing. */
    private void withdraw(Acquisition acquisition) {
        // After a fail-stop, no attempt counts as open.
        acquisition.openAttempts = (short) Math.max(0, acquisition.openAttempts - this.out.withdraw(acquisition));
    }

    // ---- Holding

    /**
     * Begins to hold the lock for the first waiter.
     *
     * @param from time from which the lease is counted
     * @param lease lease that the store has set, in nanoseconds
     */
    private void beginHold(Acquisition acquisition, long token, Moment from, long lease, Way way, Moment now) {
        Waiter waiter = Objects.requireNonNull(this.waiters.first);
        if (!fits(waiter)) {
            // The store has lost a grant of this JVM. Renewals show which one, and until then the new grant is not
            // used.
            for (Acquisition held = this.acquisitions; held != null; held = held.next) {
                held.dueAt = held.phase == Phase.HELD ? now.nanos() : held.dueAt;
            }
            acquisition.dueAt = Moment.sum(now.nanos(), pause(acquisition, this.rules.poll()));
            return;
        }
        acquisition.extend(from, Rules.usable(Math.min(lease, waiter.terms.lease())), lease);
        this.candidate = null;
        if (acquisition.waitingAttempts > 0) {
            // The attempt would extend a lease that must end.
            withdraw(acquisition);
        }
        if (acquisition.remaining(now) <= 0) {
            // The reply took longer than the lease.
            end(acquisition, now.nanos(), now);
            noteFailure(from, null);
            return;
        }
        acquisition.phase = Phase.HELD;
        acquisition.dueAt = NEVER;
        acquisition.notOwnerAt = NO_PROOF;
        acquisition.grantedAt = now.nanos();
        acquisition.token = token;
        acquisition.failures = 0;
        // The attempt may have been made for a waiter that has left, and the present one may have requested a longer
        // lease.
        acquisition.isConfirmed = way != Way.MESSAGE && lease >= waiter.terms.lease();
        acquisition.isJoinable = acquisition.kind.mode() == LockMode.READ && waiter.terms.isShareable();
        grant(acquisition, waiter, way, now);
        if (acquisition.revokedAt != null) {
            // The message about a forced release has arrived before the reply that has granted the lock.
            acquisition.dueAt = now.nanos();
        }
    }

    /** Creates the grant of a waiter, which need not be in the queue. */
    private Grant grant(Acquisition acquisition, Waiter waiter, Way way, Moment now) {
        Grant grant = new Grant(acquisition, waiter, acquisition.token, now.nanos());
        // This call allocates, so it precedes all changes: if memory is exhausted, the waiter stays and asks again.
        this.out.granted(waiter, grant, way);
        this.waiters.remove(waiter);
        acquisition.add(grant);
        acquisition.terms = waiter.terms;
        if (waiter.terms.minHold() > 0) {
            acquisition.keepUntil = Math.max(acquisition.keepUntil, Moment.sum(now.nanos(), waiter.terms.minHold()));
        }
        if (acquisition.renewalsOpen == 0) {
            // The time has passed if a reader joins readers whose renewal had ended.
            long next = Math.max(now.nanos(), acquisition.nextRenewal());
            acquisition.dueAt = acquisition.isConfirmed ? Math.min(acquisition.dueAt, next) : now.nanos();
        }
        this.overdueMayEnd = true;
        if (acquisition.isReleaseRequested) {
            this.out.releaseRequested(grant);
        }
        return grant;
    }

    /** Returns the acquisition that the waiter may join as a reader, or {@code null} if it must ask the store. */
    private @Nullable Acquisition sharedAcquisition(Waiter waiter, Moment now) {
        if (waiter.kind.mode() != LockMode.READ || !waiter.terms.isShareable()) {
            return null;
        }
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD
                    && acquisition.isJoinable
                    // The store may still have the writer that has become this reader.
                    && (acquisition.isConfirmed || acquisition.former == null)
                    && acquisition.failures == 0
                    && !isAtRisk(acquisition)
                    && mayBeginWith(acquisition, waiter.terms, now)) {
                return acquisition;
            }
        }
        return null;
    }

    /** Returns whether a renewal has failed or is late. All owners are at risk then, and none joins them. */
    private static boolean isAtRisk(Acquisition acquisition) {
        return acquisition.grant != null && acquisition.grant.state == Grant.State.AT_RISK;
    }

    /**
     * Returns whether the acquisition may be handed over to the next waiter. The clock of this JVM may run faster than
     * the clock of the store, so the number of hand-overs is limited with the same margin as a lease, unless they keep
     * the token.
     */
    private boolean mayHandOver(Grant grant, Waiter next, Moment now) {
        Acquisition acquisition = grant.acquisition;
        long since = now.nanos() - acquisition.grantedAt;
        long tokens = acquisition.kind.isShared() ? Long.MAX_VALUE : Rules.tokensIn(since);
        return acquisition.kind.equals(next.kind)
                // Readers join it, unless their terms do not allow that.
                && !acquisition.isJoinable
                && acquisition.keepUntil <= now.nanos()
                && acquisition.former == null
                && grant.state == Grant.State.HELD
                && grant.renewUntil > now.nanos()
                && next.terms.isRenewed()
                && acquisition.handOvers < Math.min(this.rules.maxHandOvers(), tokens)
                // If a nested hold has requested a longer lease and the next owner dies, the lock stays taken for
                // longer than that owner has requested.
                && acquisition.longestLease <= acquisition.terms.lease()
                && mayBeginWith(acquisition, next.terms, now);
    }

    /**
     * Returns whether another owner may begin to use the acquisition without the store: for a limited time after the
     * grant, unless a message about a forced release is being checked, and if enough is left of a lease that is as
     * long as the requested one.
     */
    private boolean mayBeginWith(Acquisition acquisition, Terms terms, Moment now) {
        long lease = acquisition.terms.lease();
        return terms.lease() == lease
                // The store may have released it by force.
                && acquisition.revokedAt == null
                && now.nanos() - acquisition.grantedAt < this.rules.handOverTime()
                && acquisition.remaining(now)
                        > (acquisition.isConfirmed
                                ? Rules.minLeftToShare(lease)
                                : Rules.minLeftOfProof(this.rules.claim()));
    }

    private void handOver(Acquisition acquisition, Waiter next, Moment now) {
        acquisition.handOvers++;
        if (!acquisition.kind.isShared()) {
            acquisition.token++;
        }
        // The owner that was asked has released its grant, and the next one was not asked.
        acquisition.isReleaseRequested = false;
        grant(acquisition, next, Way.LOCAL, now);
    }

    /** Notes that the store has set the lease by the given command, and schedules the next renewal. */
    private void extend(Acquisition acquisition, Sent sent, long lease) {
        acquisition.extend(sent.at, Rules.usable(lease), lease);
        acquisition.isConfirmed |= lease >= acquisition.terms.lease();
        acquisition.dueAt =
                acquisition.isConfirmed && !acquisition.isServerNew ? acquisition.nextRenewal() : sent.at.nanos();
    }

    /** Renews an acquisition that is due, or ends the grants of owners that have died. */
    private void renewOrEnd(Acquisition acquisition, Moment now) {
        if (this.waiters.first == null && this.waiters != WaiterQueue.NONE) {
            // This saves memory, because many locks are held for long without waiters.
            this.waiters = WaiterQueue.NONE;
        }
        // A message that anyone may have sent ends no grant. Only because of it, a fixed lease is due before its end.
        boolean mayEnd = acquisition.revokedAt == null || acquisition.terms.isRenewed();
        Grant next;
        for (Grant grant = mayEnd ? acquisition.grant : null; grant != null; grant = next) {
            next = grant.next;
            if (!grant.owner.isAlive()) {
                lost(grant, LossReason.OWNER_DIED);
                acquisition.remove(grant);
            }
        }
        boolean needsRenewal = acquisition.needsRenewal(now);
        if (acquisition.grant == null) {
            end(acquisition, now.nanos(), now);
        } else if (needsRenewal || acquisition.revokedAt != null) {
            if (needsRenewal && acquisition.renewalsOpen > 0 && acquisition.lateAt <= now.nanos()) {
                atRisk(acquisition, null);
            }
            if (acquisition.renewalsOpen < MAX_RENEWALS) {
                // The shortest lease changes nothing in the store: a message must not extend a fixed lease.
                sendRenewal(acquisition, needsRenewal ? acquisition.terms.lease() : MILLI, now);
            }
            acquisition.dueAt = lateAt(acquisition, now);
        } else {
            acquisition.dueAt = NEVER;
        }
    }

    /**
     * Returns the time from which the reply to a renewal that is sent now counts as late. If the renewal is lost, the
     * remaining lease must be long enough to repeat it, even if renewals begin shortly before the end of the lease.
     */
    private long lateAt(Acquisition acquisition, Moment now) {
        long left = acquisition.remaining(now);
        long late = Rules.lateAfter(acquisition.terms.lease(), left, acquisition.isConfirmed);
        return Moment.sum(now.nanos(), Math.min(this.rules.commandTimeout(), Math.max(10 * MILLI, late)));
    }

    private void sendRenewal(Acquisition acquisition, long lease, Moment now) {
        acquisition.renewalsOpen++;
        acquisition.isServerNew = false;
        acquisition.lateAt = lateAt(acquisition, now);
        Acquisition former = acquisition.former;
        if (former != null && acquisition.isDowngrading()) {
            acquisition.openAttempts++;
            send(new Command.Downgrade(this.name, former.id, acquisition.token, millis(lease)), acquisition, null, now);
        } else {
            send(new Command.Renew(this.name, acquisition.id, millis(lease)), acquisition, null, now);
        }
    }

    private void renewalAnswered(Acquisition acquisition, Sent sent, Reply reply, Moment now) {
        if (reply instanceof Reply.NotOwner none) {
            LossReason reason = reasonOf(acquisition, none.isFree());
            for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
                this.out.renewalFailed(grant, sent.at, null);
                lost(grant, reason);
            }
            end(acquisition, now.nanos(), now);
            return;
        }
        if (sent.command instanceof Command.Downgrade && acquisition.former != null) {
            acquisition.former.isDowngraded = true;
            if (this.rules.needsConfirmation()) {
                acquisition.dueAt = now.nanos();
                return;
            }
        }
        acquisition.failures = 0;
        extend(acquisition, sent, leaseOf(sent));
        Moment revokedAt = acquisition.revokedAt;
        if (revokedAt != null && sent.at.nanos() >= revokedAt.nanos()) {
            acquisition.revokedAt = null;
        } else if (revokedAt != null) {
            // The renewal that checks the message may have failed.
            acquisition.dueAt = Math.min(acquisition.dueAt, acquisition.lateAt);
        }
        for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
            this.out.renewed(grant, sent.at);
            if (grant.state == Grant.State.AT_RISK) {
                grant.state = Grant.State.HELD;
                this.out.recovered(grant);
            }
        }
    }

    /** Returns why the store does not have the id. */
    private static LossReason reasonOf(Acquisition acquisition, boolean isFree) {
        return acquisition.revokedAt != null ? LossReason.REVOKED : isFree ? LossReason.DELETED : LossReason.TAKEN_OVER;
    }

    private void atRisk(Acquisition acquisition, @Nullable LockStoreException cause) {
        for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
            if (grant.state == Grant.State.HELD) {
                grant.state = Grant.State.AT_RISK;
                this.out.atRisk(grant, cause);
            }
        }
    }

    private void loseAll(Acquisition acquisition, LossReason reason) {
        for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
            lost(grant, reason);
        }
    }

    private void lost(Grant grant, LossReason reason) {
        // This call allocates, so it precedes all changes: if memory is exhausted, the grant stays and its loss is
        // detected again.
        this.out.lost(grant, reason);
        grant.lossReason = reason;
        grant.state = Grant.State.LOST;
    }

    private void released(Grant grant, @Nullable LockStoreException cause) {
        this.out.released(grant, cause);
        grant.state = grant.state == Grant.State.LOST ? Grant.State.LOST : Grant.State.RELEASED;
    }

    // ---- Ending

    /**
     * Ends the acquisition. From {@code releaseAt} on, releases of the id are sent until a reply proves that the store
     * has nothing of it, but no longer than until each lease that the id may still obtain has expired.
     */
    private void end(Acquisition acquisition, long releaseAt, Moment now) {
        acquisition.phase = Phase.ENDING;
        acquisition.dueAt = releaseAt;
        acquisition.giveUpAt = Math.max(
                Math.max(acquisition.giveUpAt, acquisition.keepUntil),
                giveUpAt(acquisition, Math.max(releaseAt, now.nanos())));
        acquisition.failures = 0;
        if (acquisition == this.candidate) {
            this.candidate = null;
        }
        Acquisition former = acquisition.former;
        if (former != null && former.phase == Phase.SUSPENDED) {
            // For an id that no longer owns the lock, a release with a minimum hold proves nothing, and would be
            // repeated until the end of that hold.
            former.keepUntil = former.isDowngraded ? BEFORE : acquisition.keepUntil;
            former.lostGrants = acquisition.lostGrants;
            former.storedUntil = acquisition.storedUntil;
            end(former, releaseAt, now);
        }
    }

    /** Schedules the next release without a pause, unless the owners of a lost grant still have time to react. */
    private static void releaseSoon(Acquisition acquisition, Moment now) {
        if (acquisition.lostGrants == 0 || acquisition.storedUntil <= now.nanos()) {
            acquisition.dueAt = Math.min(acquisition.dueAt, now.nanos());
        }
    }

    /**
     * Returns the time until which releases are repeated if the store may have something of the id at the given time.
     */
    private long giveUpAt(Acquisition acquisition, long from) {
        return Moment.sum(from, Rules.LEASES_OF_RELEASING * Math.max(acquisition.longestLease, 2 * this.rules.poll()));
    }

    private void sendRelease(Acquisition acquisition, @Nullable Acquisition successor, Moment now) {
        if (acquisition.waitingAttempts > 0) {
            withdraw(acquisition);
        }
        acquisition.isReleasing = true;
        long keep = acquisition.keepUntil > now.nanos() ? millis(acquisition.keepUntil - now.nanos()) : 0;
        Successor next = null;
        if (successor != null) {
            Waiter first = Objects.requireNonNull(this.waiters.first);
            attemptBegan(successor, true, now);
            successor.terms = first.terms;
            next = new Successor(successor.id, millis(first.terms.lease()));
        }
        // The store already has the token, unless a hand-over has changed it. For a reader, the downgrade has sent it.
        long lastToken = acquisition.handOvers > 0 && !acquisition.kind.isShared() ? acquisition.token : 0;
        send(new Command.Release(this.name, acquisition.id, lastToken, keep, next), acquisition, successor, now);
    }

    private void releaseAnswered(Acquisition acquisition, Sent sent, Reply reply, Moment now) {
        Grant grant = acquisition.releasing;
        // If the downgrade may not have been executed, the store has the id of the writer and not the id of the reader.
        boolean isReliable = (acquisition.former == null || acquisition.former.isDowngraded)
                // The lease may have expired while the release of the owner was under way.
                && acquisition.remaining(now) > 0;
        if (grant != null && isReliable && (reply instanceof Reply.NotOwner || reply instanceof Reply.LeftLine)) {
            boolean isFree = reply instanceof Reply.NotOwner none && none.isFree();
            lost(grant, reasonOf(acquisition, isFree));
            this.out.released(grant, null);
            acquisition.releasing = null;
            grant.isReturned = true;
        }
        releaseOver(acquisition, null);
        reportRefusal(acquisition);
        Acquisition successor = sent.successor;
        if (successor != null) {
            // The release is processed first, because observers must see the end of a grant before the next grant.
            attemptAnswered(successor, sent, reply, now);
        }
        if (isOver(acquisition, sent, reply)) {
            acquisition.isReleasing = false;
            acquisition.phase = Phase.OVER;
        } else {
            repeatRelease(acquisition, now);
        }
    }

    /** Reports the end of the release to the owner of the grant, if it still waits for it. */
    private void releaseOver(Acquisition acquisition, @Nullable LockStoreException cause) {
        Grant grant = acquisition.releasing;
        if (grant != null) {
            released(grant, cause);
            acquisition.releasing = null;
        }
    }

    /**
     * Returns whether the reply to a release proves the end of the id. It does not if an attempt was under way after
     * the release was sent, because the store could execute that attempt later.
     */
    private static boolean isOver(Acquisition acquisition, Sent release, Reply reply) {
        return acquisition.openAttempts == 0
                && release.at.nanos() >= acquisition.settledAt
                && release.at.nanos() >= acquisition.unsettledUntil
                // A release with a minimum hold does not remove the id from the line.
                && (((Command.Release) release.command).keepMillis() == 0
                        || (reply == Reply.Released.INSTANCE && !acquisition.isInLineAgain));
    }

    private void repeatRelease(Acquisition acquisition, Moment now) {
        acquisition.isReleasing = false;
        if (now.nanos() >= acquisition.giveUpAt && acquisition.openAttempts == 0) {
            acquisition.phase = Phase.OVER;
        } else {
            acquisition.dueAt = Moment.sum(now.nanos(), pause(acquisition, this.rules.poll()));
        }
    }

    // ---- Parts

    private void send(Command command, Acquisition acquisition, @Nullable Acquisition successor, Moment now) {
        Sent sent = new Sent(command, acquisition, successor, now);
        Acquisition receiver = successor != null ? successor : acquisition;
        receiver.longestLease = Math.max(receiver.longestLease, leaseOf(sent));
        this.out.send(sent);
    }

    /**
     * Returns the lease in nanoseconds that the command requests for the acquisition to which it may grant the lock.
     */
    private static long leaseOf(Sent sent) {
        Command command = sent.command;
        if (command instanceof Command.Acquire acquire) {
            return acquire.leaseMillis() * MILLI;
        }
        if (command instanceof Command.Renew renew) {
            return renew.leaseMillis() * MILLI;
        }
        if (command instanceof Command.Downgrade downgrade) {
            return downgrade.leaseMillis() * MILLI;
        }
        Successor successor = ((Command.Release) command).successor();
        return successor != null ? successor.leaseMillis() * MILLI : 0;
    }

    /** Converts nanoseconds to milliseconds, rounded up, because the store must not count less than the owner. */
    private static long millis(long nanos) {
        return Math.max(1, (nanos + MILLI - 1) / MILLI);
    }

    /** Returns the pause after a failure, which doubles with each failure up to {@code longest}. */
    private long pause(Acquisition acquisition, long longest) {
        long pause = FIRST_PAUSE << acquisition.failures;
        if (acquisition.failures < 10) {
            acquisition.failures++;
        }
        return jittered(Math.min(pause, Math.max(longest, MILLI)));
    }

    private long jittered(long nanos) {
        return nanos - this.out.below(Rules.maxRandomPart(nanos) + 1);
    }

    @Nullable
    Acquisition find(String id) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.id.equals(id)) {
                return acquisition;
            }
        }
        return null;
    }

    /** Returns whether the first waiter may ask the store. If this JVM has an exclusive grant, it waits in memory. */
    boolean mayAsk(Waiter first) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD && (!acquisition.kind.isShared() || willBeJoined(acquisition, first))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the first waiter will join a writer that becomes a reader, once the store has answered the
     * downgrade.
     */
    private static boolean willBeJoined(Acquisition acquisition, Waiter first) {
        return acquisition.isDowngrading()
                && acquisition.isJoinable
                && first.kind.mode() == LockMode.READ
                && first.terms.isShareable()
                && first.terms.lease() == acquisition.terms.lease();
    }

    /** Returns whether this JVM holds permits and the given kind is a lock, or the other way round. */
    private boolean isUsedOtherwise(GrantKind kind) {
        boolean isPermit = kind.mode() == LockMode.PERMIT;
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD && (acquisition.kind.mode() == LockMode.PERMIT) != isPermit) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the waiter is compatible with the grants of this JVM. */
    private boolean fits(Waiter waiter) {
        GrantKind kind = waiter.kind;
        long permits = 0;
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD) {
                if (!kind.isShared() || acquisition.kind.mode() != kind.mode()) {
                    return false;
                }
                permits += acquisition.kind.weight();
            }
        }
        return permits == 0 || permits + kind.weight() <= kind.limit();
    }

    /** Returns whether the lock has no state and can be removed. */
    public boolean isIdle() {
        return this.acquisitions == null && this.waiters.first == null;
    }

    /** Returns whether a reply has shown that the store has set the full lease of the grant. */
    public boolean isConfirmed(Grant grant) {
        return grant.acquisition.isConfirmed;
    }

    /** Visits all waiters in the order of their arrival. */
    public void forEachWaiter(Consumer<Waiter> visitor) {
        for (Waiter waiter = this.waiters.first; waiter != null; waiter = waiter.next) {
            visitor.accept(waiter);
        }
    }

    /** Visits all live grants. */
    public void forEachGrant(Consumer<Grant> visitor) {
        for (Acquisition acquisition = this.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD) {
                for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
                    visitor.accept(grant);
                }
            }
        }
    }

    /** The time of an attempt that has not granted the lock, and the cause with which it refuses waiters. */
    private record Outcome(
            long askedAt, Cause cause, @Nullable LockStoreException failure) {}
}
