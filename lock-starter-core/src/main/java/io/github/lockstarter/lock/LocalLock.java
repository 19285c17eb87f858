package io.github.lockstarter.lock;

import static io.github.lockstarter.lock.Moment.BEFORE;
import static io.github.lockstarter.lock.Moment.MILLI;
import static io.github.lockstarter.lock.Moment.NEVER;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Effects.Way;
import io.github.lockstarter.lock.LocalLock.Stake.Phase;
import io.github.lockstarter.lock.Refusal.Cause;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.Successor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that one JVM knows about one lock: the waiters, the ids that it has in the store, its grants, and what is unknown about commands.
 * Pure: it has no thread, no clock and no I/O. The caller holds the mutex of the lock, and passes the time.
 */
public final class LocalLock {

    /*
     * Implementation note.
     *
     * Inputs and effects. Each public method is an input, which notes one fact: a waiter enters or withdraws, an owner releases, the
     * store has replied, a command has failed, a message has arrived, a time is reached. Then advance() derives from all facts what
     * must happen now. No input knows which others may follow, so that a fact which is noted cannot be missed by a later step. What is
     * to happen leaves through Effects.
     *
     * Words. A stake is one acquisition id in the store: it asks, is held, and ends. The one that asks is the ticket of this JVM in the
     * waiting line of the store. A question is a command that may grant the lock to a ticket: an acquire, or a release that names the
     * ticket as its successor. A weight is what a grant takes of the lock: one reader, some permits, or all of it.
     *
     * Invariants between two inputs; the simulation checks them after each (brokenInvariant):
     *   1. There is a ticket if and only if there is a first waiter and this JVM does not hold all of the lock. It has the kind of that
     *      waiter. A reader that will join a writer which becomes a reader needs none. Beside shared grants of its own JVM a waiter stands
     *      in the line of the store, so that no later one passes it.
     *   2. What is held fits together. Each held stake has at least one live grant, and one that is not shared has exactly one.
     *   3. Waiters are granted in the order of arrival, whatever their kinds. Each wait ends once.
     *   4. Nothing is due before dueAt.
     *
     * Rules. The names in parentheses are the actions of the specification in spec/.
     *   - Validity counts from the sending of a command that the store has executed, never from the receipt of anything. It ends a
     *     margin before the lease, by the stricter of two clocks (Stake.extend; LeaseLock: Granted, Renewed).
     *   - A refusal is a fact. A waiter whose time is up stays until a question that was asked while it waited has an outcome, but no
     *     longer than a command timeout (endOverdueWaits).
     *   - A message proves a grant of the waiting line if it cannot be about an older one, see isProof (HandOver: Notified). A renewal
     *     follows at once. All other messages are hints: the ticket asks.
     *   - Unknown outcomes. A command without a reply may have been executed, or may still be. The id is released again and again
     *     until a release was answered that was sent after the last question of the id had its outcome, and a lease after each
     *     question without a reply (isOver; WaitingLine: Repeat). An id is never used again.
     *   - An id that is granted the lock although no waiter needs it is released at once (notified).
     *   - Passing on in memory changes nothing in the store: the same id, the same end of the lease, the next token. It is limited by
     *     time and number, so that other JVMs get their turn, and to one for each microsecond, less the margin, so that tokens
     *     stay below the next one of the store (mayPassOn; LeaseLock: PassOn).
     *   - Readers of this JVM share a stake for a bounded time after the store has granted it. Only the first waiter may join one, so
     *     that a reader never passes a writer of this JVM (sharedStake; SharedWaiting: Join).
     *   - A downgrade is repeated instead of a renewal until it is answered. The id of the writer is kept, because it may still own
     *     the lock, and is released after the reader's (Downgrade: Downgrade, DowngradeAgain).
     *   - A minimum hold belongs to the stake; a release before its end keeps the lock taken (MinimumHold: Keep).
     *   - With needsConfirmation, only the reply to a command of the id itself proves a grant (Replicas: Send, Confirmed).
     *   - After an error of the JVM the lock fails as a whole, instead of being repaired (failStop).
     *   - A grant that was lost because its time is over is not released before its lease is over in the store: the margin is the time
     *     of its owner to react. A release by the owner ends it earlier.
     *
     * Units. Nanoseconds of the monotonic clock; the store is asked in milliseconds.
     *
     * Cost. Entering, leaving and timing out take O(log n) with n waiters, each input O(s) with s stakes: one for a lock or for readers,
     * one for each grant of permits.
     *
     * Sources. Gray and Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency" (1989); Mellor-
     * Crummey and Scott, "Algorithms for scalable synchronization on shared-memory multiprocessors" (1991), for the hand-over to the
     * first in line; Dice, Marathe and Shavit, "Lock cohorting" (2012), for the bounded number of hand-overs within one JVM.
     */

    private static final long FIRST_PAUSE = 50 * MILLI;

    /** Of a stake that does not ask. */
    private static final Moment NO_BASE = new Moment(BEFORE, BEFORE);

    /** Of a stake for which no waiter of this lock has asked. */
    private static final Terms NO_TERMS = new Terms(0, NEVER, NEVER, 0);

    private static final long WAKE_SPREAD = 20 * MILLI;

    /** Largest number of renewals of one stake that are sent although an earlier one has no reply. */
    private static final int MOST_RENEWALS = 4;

    public final String name;

    private final Rules rules;

    private final Effects out;

    /** {@link WaiterQueue#NONE} until the first waiter enters, and after a renewal without waiters. */
    private WaiterQueue waiters = WaiterQueue.NONE;

    /** The first of the stakes, which are linked. */
    private @Nullable Stake stakes;

    /** The stake that asks; null: there is none. */
    private @Nullable Stake ticket;

    private boolean stopped;

    /** When {@link #timeReached} is to be called; {@link Moment#NEVER}: not at all. Only read by the caller. */
    public long dueAt = NEVER;

    /** Whether this JVM holds the lock, so that something may have to be renewed in time. */
    public boolean isHeld;

    /** The outcome of a question that is the present input, and has not granted the lock; null: there is none. */
    private @Nullable Outcome outcome;

    /** The last reply that refused a ticket. */
    private Reply.@Nullable Taken lastTaken;

    /** Whether a fact has changed by which overdue waiters may be refused. */
    private boolean overdueMayEnd;

    LocalLock(String name, Rules rules, Effects out) {
        this.name = name;
        this.rules = rules;
        this.out = out;
    }

    // ---- Inputs: waiters

    /** A waiter enters. Its wait ends with one effect, possibly before this method returns. */
    public void enter(Waiter waiter, Moment now) {
        if (this.waiters == WaiterQueue.NONE) {
            // Precedes all changes, because it can fail.
            this.waiters = new WaiterQueue();
        }
        waiter.enteredAt = now.nanos();
        if (this.stopped) {
            this.out.refused(waiter, refusal(Cause.STOPPED, null, false));
            return;
        }
        waiter.deadline = Moment.sum(now.nanos(), waiter.waitTime);
        if (this.stakes != null && isUsedOtherwise(waiter.kind)) {
            // The store would reject it, but a waiter that does not fit beside the grants of this JVM may not ask.
            this.out.refused(waiter, refusal(Cause.STORE_FAILED, waiter.kind.rejectedUse(this.name), false));
            return;
        }
        this.waiters.add(waiter, waiter.deadline);
        advance(now);
    }

    /** Ends a wait from outside, and returns false if it has ended before. */
    public boolean withdraw(Waiter waiter, Cause cause, Moment now) {
        if (!waiter.isQueued()) {
            return false;
        }
        refuse(waiter, cause, null, now);
        advance(now);
        return true;
    }

    // ---- Inputs: owners

    /**
     * The owner has ended its work. Returns whether the grant was live; if it was, {@link Effects#released} follows. The owner of a lost
     * grant calls it as well.
     */
    public boolean release(Grant grant, Moment now) {
        Stake stake = grant.stake;
        endIfExpired(stake, now);
        boolean isLive = grant.isLive();
        if (isLive) {
            Waiter next = this.waiters.first;
            if (stake.isShared()) {
                // Precedes the removal, because it allocates: a grant that no stake has would never end.
                released(grant, null);
                stake.remove(grant);
            } else if (next != null && mayPassOn(grant, next, now)) {
                released(grant, null);
                stake.remove(grant);
                passOn(stake, next, now);
            } else {
                grant.state = Grant.State.RELEASING;
                stake.releasing = grant;
                stake.remove(grant);
                end(stake, now.nanos(), now);
                boolean needsTicket = stake.keepUntil <= now.nanos() && this.ticket == null;
                sendRelease(stake, next != null && needsTicket && mayAsk(next) ? open(next.kind, now) : null, now);
            }
        } else {
            returned(grant, now);
        }
        advance(now);
        return isLive;
    }

    /** Releases a grant that reaches no owner: nothing of the request remains, not even its minimum hold. */
    public boolean giveBack(Grant grant, Moment now) {
        if (grant.isLive() && !grant.stake.isShared()) {
            grant.stake.keepUntil = BEFORE;
        }
        return release(grant, now);
    }

    /** The owner of a lost grant does not use it any more. */
    private void returned(Grant grant, Moment now) {
        if (grant.state == Grant.State.LOST && !grant.isReturned) {
            this.out.released(grant, null);
            grant.isReturned = true;
            grant.stake.ownerIsDone(now);
        }
    }

    /**
     * Turns the grant of a writer into that of a reader, which begins at once with what is left of the writer's lease. Returns null if
     * the writer's grant was not live; that counts as its release.
     *
     * @param reader describes the reader; it does not wait
     */
    @Nullable
    public Grant downgrade(Grant writer, Waiter reader, Moment now) {
        endIfExpired(writer.stake, now);
        if (!writer.isLive()) {
            returned(writer, now);
            advance(now);
            return null;
        }
        Stake former = writer.stake;
        Stake stake = new Stake(GrantKind.readerOf(former.id), GrantKind.READER, now);
        stake.continueFrom(former, reader.terms);
        // As after a grant of the store, readers that wait first in this JVM join: a writer of another JVM may stand in
        // line by now.
        stake.grantedAt = now.nanos();
        stake.isJoinable = reader.terms.isShareable();
        add(stake);
        released(writer, null);
        former.remove(writer);
        former.phase = Phase.SUSPENDED;
        Grant grant = grant(stake, reader, Way.DOWNGRADED, now);
        // The first renewal is the downgrade.
        stake.dueAt = now.nanos();
        advance(now);
        return grant;
    }

    /** A nested hold requests a lease that is longer than what is left: renews with that lease at once. */
    public void lengthen(Grant grant, long lease, Moment now) {
        if (grant.isLive()) {
            sendRenewal(grant.stake, lease, now);
        }
        advance(now);
    }

    /**
     * A nested hold begins or ends, so that the grant is renewed for longer or shorter.
     *
     * @param terms the lease and the interval of renewals
     * @param until until when it is renewed; {@link Moment#BEFORE}: not at all
     */
    public void renewUntil(Grant grant, Terms terms, long until, Moment now) {
        Stake stake = grant.stake;
        endIfExpired(stake, now);
        grant.renewUntil = until;
        if (grant.isLive() && until > now.nanos()) {
            stake.terms = terms;
            stake.isConfirmed &= stake.storedUntil - stake.renewedAt >= terms.lease();
            stake.dueAt = stake.isConfirmed ? Math.min(stake.dueAt, stake.nextRenewal()) : now.nanos();
        }
        advance(now);
    }

    /** A nested hold has a minimum hold of its own, which began now. The latest end counts. */
    public void keep(Grant grant, long minHold, Moment now) {
        if (grant.isLive()) {
            grant.stake.keepUntil = Math.max(grant.stake.keepUntil, Moment.sum(now.nanos(), minHold));
        }
    }

    /** Another system than the store has seen a later owner. */
    public void takenOver(Grant grant, Moment now) {
        if (grant.isLive()) {
            loseAll(grant.stake, LossReason.TAKEN_OVER);
            end(grant.stake, now.nanos(), now);
        }
        advance(now);
    }

    /** No reference is left by which the owner could release the grant: it is not renewed any more, and is lost when its lease ends. */
    public void abandon(Grant grant, Moment now) {
        grant.abandoned = true;
        grant.renewUntil = BEFORE;
        advance(now);
    }

    // ---- Inputs: time and store

    public void timeReached(Moment now) {
        advance(now);
    }

    /** Returns whether there is an acquisition with that id. */
    public boolean knows(String id) {
        return find(id) != null;
    }

    /**
     * The store has granted the lock to an acquisition of this JVM from its line. May be late, repeated or wrong.
     */
    public void notified(String id, long token, Moment now) {
        Stake stake = find(id);
        if (stake == null) {
            if (!this.stopped) {
                // Of a wait that has ended long ago. Until it is released, the next owner would wait for the end of its
                // lease.
                stake = new Stake(id, GrantKind.of(id), now);
                add(stake);
                end(stake, now.nanos(), now);
            }
        } else if (stake.phase == Phase.ASKING) {
            if (isProof(stake, token, now)) {
                stake.isConfirmed = false;
                begin(stake, token, stake.base, this.rules.claim(), Way.MESSAGE, now);
            } else {
                stake.isNotified = true;
                stake.dueAt = now.nanos();
            }
        } else if (stake.phase == Phase.ENDING) {
            // A release that is under way may have been executed before the grant.
            stake.settledAt = now.nanos();
            releaseSoon(stake, now);
        }
        advance(now);
    }

    /** Messages may be missing. */
    public void notificationsMayBeLost(Moment now) {
        askNow(now);
        advance(now);
    }

    /** Commands go to another server, which may not have what was granted before, or may have granted what was never reported. */
    public void serverChanged(Moment now) {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            stake.isChainBroken = true;
            stake.isServerNew = true;
            if (stake.phase == Phase.HELD && stake.terms.isRenewed()) {
                stake.dueAt = now.nanos();
            } else if (stake.phase == Phase.ENDING) {
                releaseSoon(stake, now);
            }
        }
        askNow(now);
        advance(now);
    }

    /** The store has replied to a command. */
    public void replied(Sent sent, Reply reply, Moment now) {
        Stake stake = sent.stake;
        Command command = sent.command;
        if (command instanceof Command.Acquire) {
            answered(stake, sent, reply, now);
        } else if (command instanceof Command.Release) {
            releaseAnswered(stake, sent, reply, now);
        } else {
            if (command instanceof Command.Downgrade) {
                settled(stake, sent, now);
            }
            stake.renewalsOpen--;
            if (stake.phase == Phase.HELD) {
                renewalAnswered(stake, sent, reply, now);
            }
        }
        advance(now);
    }

    /** There is no usable reply to a command. Unless its outcome is known, it may have been executed, or may still be. */
    public void failed(Sent sent, LockStoreException cause, Moment now) {
        Stake stake = sent.stake;
        Command command = sent.command;
        if (command instanceof Command.Acquire) {
            unanswered(stake, sent, cause, now);
            if (stake.phase == Phase.ASKING) {
                rejected(stake, cause, now);
            }
        } else if (command instanceof Command.Release) {
            Stake successor = sent.successor;
            if (successor != null) {
                unanswered(successor, sent, cause, now);
                successor.askAt(now.nanos());
            }
            releaseOver(stake, cause);
            reportRefusal(stake);
            repeatRelease(stake, now);
        } else {
            if (command instanceof Command.Downgrade) {
                unanswered(stake, sent, cause, now);
            }
            stake.renewalsOpen--;
            if (stake.phase == Phase.HELD) {
                for (Grant each = stake.grant; each != null; each = each.next) {
                    this.out.renewalFailed(each, sent.at, cause);
                }
                if (stake.needsRenewal(now)) {
                    atRisk(stake, cause);
                }
                stake.dueAt = Moment.sum(now.nanos(), pause(stake, stake.terms.lease() / 12));
            }
        }
        advance(now);
    }

    // ---- Inputs: the end of the engine

    /** Refuses all waiters, and all that enter later. Grants go on until they are released. */
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

    /** Declares all live grants lost, because none is renewed any more. Their keys are not released: the bodies still run. */
    public void giveUp(Moment now) {
        refuseAll();
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD) {
                loseAll(stake, LossReason.SHUTDOWN);
            }
        }
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            reportRefusal(stake);
            stake.phase = Phase.OVER;
        }
        this.stakes = null;
        advance(now);
    }

    /**
     * Begins anew after an error, such as an exhausted heap, that has ended an input at an unknown place, or because of which a fact is
     * missing. Grants are lost and waiters refused. Nothing is relied on but the ids: each is released until that is proven, that of a
     * grant when its owner is done or its lease has ended in the store.
     *
     * @param cause for those that wait for an outcome, which is unknown
     */
    void failStop(LockStoreException cause, Moment now) {
        this.waiters.rebuild();
        for (Waiter waiter = this.waiters.first; waiter != null; waiter = this.waiters.first) {
            this.out.refused(waiter, refusal(Cause.STORE_FAILED, cause, true));
            this.waiters.remove(waiter);
        }
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            for (Grant grant = stake.grant; grant != null; grant = grant.next) {
                if (grant.isLive()) {
                    lost(grant, LossReason.FAILED);
                    stake.lostGrants += grant.owner.isAlive() ? 1 : 0;
                }
            }
            releaseOver(stake, cause);
            reportRefusal(stake);
        }
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.waitingQuestions > 0) {
                withdraw(stake);
            }
            // Commands may be under way, and their outcome may not be known.
            stake.openQuestions = 0;
            stake.unsettledUntil = Moment.sum(now.nanos(), Moment.sum(this.rules.commandTimeout(), stake.longestLease));
            stake.giveUpAt = Math.max(stake.giveUpAt, giveUpAt(stake, stake.unsettledUntil));
            stake.isReleasing = false;
            if (stake.phase != Phase.OVER) {
                end(stake, stake.lostGrants > 0 ? Math.max(now.nanos(), stake.storedUntil) : now.nanos(), now);
            }
        }
        this.ticket = null;
        this.lastTaken = null;
        this.outcome = null;
        this.overdueMayEnd = false;
        advance(now);
    }

    // ---- What follows from the facts

    private void advance(Moment now) {
        checkGrants(now);
        Waiter first = this.waiters.first;
        if (first != null) {
            endOverdueWaits(now);
            first = this.waiters.first;
        }
        while (first != null) {
            Stake shared = sharedStake(first, now);
            if (shared == null) {
                break;
            }
            grant(shared, first, Way.JOINED, now);
            first = this.waiters.first;
        }
        Stake asking = this.ticket;
        if (asking != null && (first == null || !asking.kind.equals(first.kind))) {
            leaveLine(asking, now);
            asking = null;
        }
        if (first != null && asking == null && mayAsk(first)) {
            asking = open(first.kind, now);
        }
        if (first != null && asking != null) {
            // The questions so far were those of waiters that have left, which tried once.
            boolean joins = first.waitTime > 0 && !asking.hasJoined && asking.openQuestions == 0;
            if (joins || asking.dueAt <= now.nanos()) {
                if (asking.waitingQuestions == 0) {
                    ask(asking, first, now);
                } else {
                    // The question that waits to be written is as good as another one.
                    asking.dueAt = NEVER;
                }
            }
        }
        long next = first != null ? this.waiters.dueAt() : NEVER;
        Stake before = null;
        Stake stake = this.stakes;
        boolean holds = false;
        while (stake != null) {
            holds |= stake.phase == Phase.HELD;
            if (stake.phase == Phase.ENDING && !stake.isReleasing && stake.dueAt <= now.nanos()) {
                sendRelease(stake, null, now);
            }
            if (stake.leaver != null && stake.leaver.latest <= now.nanos()) {
                reportRefusal(stake);
            }
            Stake behind = stake.next;
            if (stake.phase != Phase.OVER) {
                next = Math.min(next, nextDue(stake, now));
                before = stake;
            } else {
                // A lease that is kept after its end refers to its stake, and must not keep others.
                stake.next = null;
                if (before == null) {
                    this.stakes = behind;
                } else {
                    before.next = behind;
                }
            }
            stake = behind;
        }
        this.outcome = null;
        this.dueAt = next;
        this.isHeld = holds;
    }

    /** Returns when something is due for the stake. */
    private static long nextDue(Stake stake, Moment now) {
        return switch (stake.phase) {
            case ASKING -> stake.dueAt;
            case HELD -> Math.min(stake.dueAt, Moment.sum(now.nanos(), Math.max(0, stake.remaining(now))));
            case ENDING ->
                Math.min(stake.isReleasing ? NEVER : stake.dueAt, stake.leaver != null ? stake.leaver.latest : NEVER);
            // The former is followed by the stake of a reader, or ends with it.
            case SUSPENDED, OVER -> NEVER;
        };
    }

    /** Ends what is over, and renews what is due. */
    private void checkGrants(Moment now) {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD) {
                endIfExpired(stake, now);
            }
            if (stake.phase == Phase.HELD && stake.dueAt <= now.nanos()) {
                renewOrEnd(stake, now);
            }
        }
    }

    private void endIfExpired(Stake stake, Moment now) {
        if (stake.phase == Phase.HELD && stake.remaining(now) <= 0) {
            for (Grant each = stake.grant; each != null; each = each.next) {
                lost(each, reasonOfExpiry(each, now));
                stake.lostGrants++;
            }
            // The margin that is left in the store is the time of the owners to react.
            end(stake, stake.storedUntil, now);
        }
    }

    private static LossReason reasonOfExpiry(Grant grant, Moment now) {
        if (grant.abandoned) {
            return LossReason.OWNER_DIED;
        }
        return grant.renewUntil != BEFORE && grant.renewUntil <= now.nanos() ? LossReason.MAX_HOLD : LossReason.EXPIRED;
    }

    // ---- The end of waits

    /** Refuses waiters whose time is up, as soon as it is known why. */
    private void endOverdueWaits(Moment now) {
        if (this.overdueMayEnd) {
            this.overdueMayEnd = false;
            for (Waiter waiter : this.waiters.takeOverdue()) {
                if (waiter.isQueued() && !refuseIfKnown(waiter, now)) {
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
            Stake asking = this.ticket;
            // Its question has waited to be written for as long as an outcome may take.
            boolean isOverload = asking != null
                    && asking.waitingQuestions > 0
                    && asking.waitingQuestions == asking.openQuestions
                    && !asking.hasReply
                    && waiter.waitTime >= this.rules.commandTimeout();
            if (latest <= now.nanos() || isOverload) {
                refuse(waiter, Cause.STORE_FAILED, null, now);
                continue;
            }
            this.waiters.postpone(waiter, latest);
            this.waiters.addOverdue(waiter);
            if (asking != null && (asking.askedAt < waiter.enteredAt || asking.isAnswered)) {
                asking.dueAt = now.nanos();
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
        // Of a question that was asked while it waited.
        if (known == null || known.askedAt < waiter.enteredAt) {
            return false;
        }
        if (isRejectedAgain(known)) {
            return false;
        }
        refuse(waiter, known.cause, known.failure, now);
        return true;
    }

    /** Returns whether the store has rejected a question, and the reply to the next one must show that it has executed none. */
    private boolean isRejectedAgain(Outcome known) {
        Stake asking = this.ticket;
        return known.failure != null
                && !known.failure.isOutcomeUnknown()
                && asking != null
                && asking.openQuestions > asking.waitingQuestions;
    }

    /**
     * Ends a wait without a grant. The last waiter is notified when its place in the line of the store is gone, because the store
     * could still grant the lock to it and refuse others; not later than a command timeout after its time.
     */
    private void refuse(Waiter waiter, Cause cause, @Nullable LockStoreException failure, Moment now) {
        Stake asking = this.ticket;
        boolean isLast = waiter.previous == null && waiter.next == null;
        if (asking != null && isLast && asking.waitingQuestions > 0) {
            withdraw(asking);
        }
        Refusal refusal = refusal(cause, failure, asking != null && asking.isUnsettled(now));
        if (asking != null && isLast && cause != Cause.STORE_FAILED && isAnswered(asking, now)) {
            long latest = Moment.sum(Math.min(waiter.deadline, now.nanos()), this.rules.commandTimeout());
            asking.leaver = new Leaver(waiter, refusal, latest);
            this.waiters.remove(waiter);
            leaveLine(asking, now);
        } else {
            // Precedes the removal, because it allocates: without memory, the waiter stays, and is refused again.
            this.out.refused(waiter, refusal);
            this.waiters.remove(waiter);
        }
    }

    private void reportRefusal(Stake stake) {
        Leaver leaver = stake.leaver;
        if (leaver != null) {
            this.out.refused(leaver.waiter, leaver.refusal);
            stake.leaver = null;
        }
    }

    /** Returns whether the ticket may be in the line, and the store answers its questions as far as is known. */
    private boolean isAnswered(Stake asking, Moment now) {
        return !asking.isUnknownToStore()
                && asking.failures == 0
                && asking.unsettledUntil == BEFORE
                && (asking.openQuestions == 0 || now.nanos() - asking.askedAt < this.rules.poll());
    }

    private Refusal refusal(Cause cause, @Nullable LockStoreException failure, boolean mayBeGranted) {
        Reply.Taken last = this.lastTaken;
        return last != null
                ? new Refusal(cause, failure, last.owner(), last.used(), mayBeGranted)
                : new Refusal(cause, failure, null, 0, mayBeGranted);
    }

    // ---- Asking

    private Stake open(GrantKind kind, Moment now) {
        Stake stake = new Stake(this.out.id(kind), kind, now);
        add(stake);
        this.ticket = stake;
        return stake;
    }

    private void ask(Stake stake, Waiter first, Moment now) {
        boolean join = stake.hasJoined || first.waitTime > 0;
        asking(stake, join, now);
        stake.terms = first.terms;
        send(new Command.Acquire(this.name, stake.id, millis(first.terms.lease()), join), stake, null, now);
    }

    private void add(Stake stake) {
        stake.next = this.stakes;
        this.stakes = stake;
    }

    private static void asking(Stake stake, boolean join, Moment now) {
        stake.openQuestions++;
        stake.hasJoined |= join;
        stake.askedAt = now.nanos();
        stake.isAnswered = false;
        stake.isServerNew = false;
        // The outcome of the question decides when the next one follows.
        stake.dueAt = NEVER;
    }

    private void askNow(Moment now) {
        if (this.ticket != null) {
            this.ticket.dueAt = now.nanos();
        }
    }

    private void settled(Stake stake, Sent question, Moment now) {
        // None is open any more after a fail-stop.
        stake.openQuestions = Math.max(0, stake.openQuestions - 1);
        stake.settledAt = now.nanos();
        stake.giveUpAt = Math.max(stake.giveUpAt, giveUpAt(stake, now.nanos()));
        stake.isAnswered |= question.at.nanos() >= stake.askedAt;
    }

    private void unanswered(Stake stake, Sent question, LockStoreException cause, Moment now) {
        settled(stake, question, now);
        if (cause.isOutcomeUnknown()) {
            stake.unsettledUntil = Math.max(stake.unsettledUntil, Moment.sum(now.nanos(), leaseOf(question)));
            stake.giveUpAt = Math.max(stake.giveUpAt, giveUpAt(stake, stake.unsettledUntil));
        }
        noteFailure(question.at, cause);
    }

    private void noteFailure(Moment askedAt, @Nullable LockStoreException cause) {
        this.outcome = new Outcome(askedAt.nanos(), Cause.STORE_FAILED, cause);
        this.overdueMayEnd = true;
    }

    /** A question of the ticket has failed: it is repeated, unless that is hopeless. */
    private void rejected(Stake stake, LockStoreException cause, Moment now) {
        Waiter first = this.waiters.first;
        if (cause.isTransient()) {
            if (first != null && first.waitTime == Waiter.FOREVER && stake.failures == 0) {
                this.out.waitsForStore(cause);
            }
            stake.dueAt = Moment.sum(now.nanos(), pause(stake, this.rules.poll()));
            return;
        }
        stake.dueAt = now.nanos();
        if (first != null && first.kind.equals(stake.kind)) {
            refuse(first, Cause.STORE_FAILED, cause, now);
        }
    }

    /** A question about the stake, an acquire or the release that names it, was answered. */
    private void answered(Stake stake, Sent question, Reply reply, Moment now) {
        settled(stake, question, now);
        stake.hasReply = true;
        if (reply instanceof Reply.Granted granted) {
            boolean isProven = !(question.command instanceof Command.Release && this.rules.needsConfirmation());
            if (!isProven) {
                stake.askAt(now.nanos());
            } else if (stake.phase == Phase.ASKING) {
                Way way = question.successor == null ? Way.REPLY : Way.LOCAL;
                begin(stake, granted.token(), question.at, leaseOf(question), way, now);
            } else if (stake.phase == Phase.HELD) {
                // The waiter that had asked may have left, and its lease was longer.
                extend(stake, question, Math.min(leaseOf(question), stake.terms.lease()));
            }
        } else if (reply instanceof Reply.Taken taken) {
            Reply.Taken before = this.lastTaken;
            this.lastTaken = taken;
            String owner = taken.owner();
            if (owner != null && (before == null || !owner.equals(before.owner()))) {
                this.out.taken(owner);
            }
            refused(stake, question, taken.token(), taken.pollMillis() > 0, now);
            if (stake.phase == Phase.ASKING && question.at.nanos() >= stake.askedAt) {
                stake.askAt(Moment.sum(now.nanos(), pauseAfter(taken)));
            }
        } else if (reply instanceof Reply.InLine inLine) {
            refused(stake, question, inLine.token(), true, now);
            stake.askAt(Moment.sum(now.nanos(), jittered(this.rules.poll())));
        } else {
            // The release has ended nothing, so that its successor was not considered.
            stake.askAt(now.nanos());
        }
    }

    private void refused(Stake stake, Sent question, long ownerToken, boolean isInLine, Moment now) {
        this.outcome = new Outcome(question.at.nanos(), Cause.HELD_BY_OTHERS, null);
        this.overdueMayEnd = true;
        stake.failures = 0;
        if (isInLine && stake.phase == Phase.ASKING) {
            notOwner(stake, question.at, ownerToken, now);
        } else if (isInLine) {
            stake.isInLineAgain = true;
        }
    }

    /** Returns the time until the next question: until the owner's lease ends, or the interval that the store has set. */
    private long pauseAfter(Reply.Taken taken) {
        long interval = taken.pollMillis() > 0 ? taken.pollMillis() * MILLI : this.rules.poll();
        // A longer interval than the shortest one means that others are in front: many waiters must not ask at the same
        // moment.
        long spread = interval > this.rules.poll() ? this.rules.poll() : WAKE_SPREAD;
        return taken.remainingMillis() < interval / MILLI
                ? taken.remainingMillis() * MILLI + this.out.below(spread)
                : jittered(interval);
    }

    /**
     * Notes a proof that the stake did not have the lock at some time after that moment. The proofs are a chain: a grant that was
     * made and has ended between two of them takes longer than a claim lease.
     */
    private void notOwner(Stake stake, Moment askedAt, long ownerToken, Moment now) {
        stake.isChainBroken |= claimLeft(stake, now) <= 0;
        if (askedAt.nanos() > stake.base.nanos()) {
            stake.base = askedAt;
        }
        stake.token = Math.max(stake.token, ownerToken);
    }

    private long claimLeft(Stake stake, Moment now) {
        return Rules.usable(this.rules.claim()) - now.since(stake.base);
    }

    /**
     * Returns whether a message proves a grant. An old message is about a grant that was made before the base and has ended: its
     * token is not larger than that of the owner at that time, and the chain of proofs has a gap. Either shows it. Both are required,
     * because tokens rely on the server's clock. Shared grants are not believed, which would be safe: the waiter asks once more,
     * while others use the lock.
     */
    private boolean isProof(Stake stake, long token, Moment now) {
        Waiter first = Objects.requireNonNull(this.waiters.first);
        long lease = Math.min(this.rules.claim(), first.terms.lease());
        return lease > 0
                && stake.token > 0
                && token > stake.token
                && !stake.isChainBroken
                && !stake.kind.isShared()
                && Rules.usable(lease) - now.since(stake.base) >= lease / 4;
    }

    /** The ticket is not needed any more. */
    private void leaveLine(Stake stake, Moment now) {
        this.ticket = null;
        if (stake.waitingQuestions > 0) {
            withdraw(stake);
        }
        if (stake.isUnknownToStore()) {
            stake.phase = Phase.OVER;
        } else {
            end(stake, now.nanos(), now);
        }
    }

    /** Withdraws questions that were not written: the store knows nothing of them. */
    private void withdraw(Stake stake) {
        stake.openQuestions -= this.out.withdraw(stake);
    }

    // ---- Holding

    private void begin(Stake stake, long token, Moment from, long lease, Way way, Moment now) {
        Waiter waiter = Objects.requireNonNull(this.waiters.first);
        if (!fits(waiter)) {
            // The store has lost what this JVM holds: renewals show it, and until then the grant is not used.
            for (Stake held = this.stakes; held != null; held = held.next) {
                held.dueAt = held.phase == Phase.HELD ? now.nanos() : held.dueAt;
            }
            stake.dueAt = Moment.sum(now.nanos(), pause(stake, this.rules.poll()));
            return;
        }
        stake.extend(from, Rules.usable(Math.min(lease, waiter.terms.lease())), lease);
        this.ticket = null;
        if (stake.waitingQuestions > 0) {
            // It would make a lease longer that must end.
            withdraw(stake);
        }
        if (stake.remaining(now) <= 0) {
            // The reply took longer than the lease.
            end(stake, now.nanos(), now);
            noteFailure(from, null);
            return;
        }
        stake.phase = Phase.HELD;
        stake.dueAt = NEVER;
        stake.base = NO_BASE;
        stake.grantedAt = now.nanos();
        stake.token = token;
        stake.failures = 0;
        // The waiter that had asked may have left, and the next one requests a longer lease.
        stake.isConfirmed &= lease >= waiter.terms.lease();
        stake.isJoinable = stake.kind.mode() == LockMode.READ && waiter.terms.isShareable();
        grant(stake, waiter, way, now);
    }

    /** Gives the stake to a waiter, which need not be in the queue. */
    private Grant grant(Stake stake, Waiter waiter, Way way, Moment now) {
        Grant grant = new Grant(stake, waiter, stake.token, now.nanos());
        // Precedes all changes, because it allocates: without memory, the waiter stays, and asks again.
        this.out.granted(waiter, grant, way);
        this.waiters.remove(waiter);
        stake.add(grant);
        stake.terms = waiter.terms;
        if (waiter.terms.minHold() > 0) {
            stake.keepUntil = Math.max(stake.keepUntil, Moment.sum(now.nanos(), waiter.terms.minHold()));
        }
        if (stake.renewalsOpen == 0) {
            // In the past if a reader joins readers that were not renewed any more.
            long next = Math.max(now.nanos(), stake.nextRenewal());
            stake.dueAt = stake.isConfirmed ? Math.min(stake.dueAt, next) : now.nanos();
        }
        this.overdueMayEnd = true;
        return grant;
    }

    /** Returns the stake that a reader may join; null: it must ask the store. */
    private @Nullable Stake sharedStake(Waiter waiter, Moment now) {
        if (waiter.kind.mode() != LockMode.READ || !waiter.terms.isShareable()) {
            return null;
        }
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD
                    && stake.isJoinable
                    && stake.isConfirmed
                    && stake.failures == 0
                    && stake.terms.lease() == waiter.terms.lease()
                    && now.nanos() - stake.grantedAt < this.rules.passTime()
                    && stake.remaining(now) > stake.terms.lease() / 2) {
                return stake;
            }
        }
        return null;
    }

    /** A JVM's clock may be faster than the store's, so that the margin of a lease is kept for the number of tokens as well. */
    private boolean mayPassOn(Grant grant, Waiter next, Moment now) {
        Stake stake = grant.stake;
        long since = now.nanos() - stake.grantedAt;
        long left = stake.remaining(now);
        return !stake.kind.isShared()
                && !next.kind.isShared()
                && stake.keepUntil <= now.nanos()
                && stake.former == null
                && grant.state == Grant.State.HELD
                && grant.renewUntil > now.nanos()
                && next.terms.isRenewed()
                && next.terms.lease() == stake.terms.lease()
                && since < this.rules.passTime()
                && stake.passes < Math.min(this.rules.passCount(), Rules.usable(since) / 1000)
                // A lease that a nested hold has requested would outlive the next owner by as much if that owner dies.
                && stake.longestLease <= stake.terms.lease()
                && left > (stake.isConfirmed ? stake.terms.lease() / 2 : this.rules.claim() / 4);
    }

    private void passOn(Stake stake, Waiter next, Moment now) {
        stake.passes++;
        stake.token++;
        grant(stake, next, Way.LOCAL, now);
    }

    private void extend(Stake stake, Sent sent, long lease) {
        stake.extend(sent.at, Rules.usable(lease), lease);
        stake.isConfirmed |= lease >= stake.terms.lease();
        stake.dueAt = stake.isConfirmed && !stake.isServerNew ? stake.nextRenewal() : sent.at.nanos();
    }

    /** The time of a renewal: renews the stake, or ends the grants of owners that have died. */
    private void renewOrEnd(Stake stake, Moment now) {
        if (this.waiters.first == null && this.waiters != WaiterQueue.NONE) {
            // Saves memory for the many locks that are held for long without waiters.
            this.waiters = WaiterQueue.NONE;
        }
        Grant next;
        for (Grant grant = stake.grant; grant != null; grant = next) {
            next = grant.next;
            if (!grant.owner.isAlive()) {
                lost(grant, LossReason.OWNER_DIED);
                stake.remove(grant);
            }
        }
        if (stake.grant == null) {
            end(stake, now.nanos(), now);
        } else if (stake.needsRenewal(now)) {
            if (stake.renewalsOpen > 0 && stake.lateAt <= now.nanos()) {
                atRisk(stake, null);
            }
            if (stake.renewalsOpen < MOST_RENEWALS) {
                sendRenewal(stake, stake.terms.lease(), now);
            }
            stake.dueAt = lateAt(stake, now);
        } else {
            stake.dueAt = NEVER;
        }
    }

    /**
     * Returns the time from which on the reply to a renewal that is sent now is late. What is left of the lease must be enough to
     * repeat the renewal if it is lost, also where renewals begin shortly before the end.
     */
    private long lateAt(Stake stake, Moment now) {
        long left = stake.remaining(now);
        long late = stake.isConfirmed ? Math.min(stake.terms.lease() / 6, left / 3) : left / 6;
        return Moment.sum(now.nanos(), Math.min(this.rules.commandTimeout(), Math.max(10 * MILLI, late)));
    }

    private void sendRenewal(Stake stake, long lease, Moment now) {
        stake.renewalsOpen++;
        stake.isServerNew = false;
        stake.lateAt = lateAt(stake, now);
        Stake former = stake.former;
        if (former != null && stake.isDowngrading()) {
            stake.openQuestions++;
            send(new Command.Downgrade(this.name, former.id, stake.token, millis(lease)), stake, null, now);
        } else {
            send(new Command.Renew(this.name, stake.id, millis(lease)), stake, null, now);
        }
    }

    private void renewalAnswered(Stake stake, Sent sent, Reply reply, Moment now) {
        if (reply instanceof Reply.NotOwner none) {
            LossReason reason = none.isFree() ? LossReason.DELETED : LossReason.TAKEN_OVER;
            for (Grant grant = stake.grant; grant != null; grant = grant.next) {
                this.out.renewalFailed(grant, sent.at, null);
                lost(grant, reason);
            }
            end(stake, now.nanos(), now);
            return;
        }
        if (sent.command instanceof Command.Downgrade && stake.former != null) {
            stake.former.isDowngraded = true;
            if (this.rules.needsConfirmation()) {
                stake.dueAt = now.nanos();
                return;
            }
        }
        stake.failures = 0;
        extend(stake, sent, leaseOf(sent));
        for (Grant grant = stake.grant; grant != null; grant = grant.next) {
            this.out.renewed(grant, sent.at);
            if (grant.state == Grant.State.AT_RISK) {
                grant.state = Grant.State.HELD;
                this.out.recovered(grant);
            }
        }
    }

    private void atRisk(Stake stake, @Nullable LockStoreException cause) {
        for (Grant grant = stake.grant; grant != null; grant = grant.next) {
            if (grant.state == Grant.State.HELD) {
                grant.state = Grant.State.AT_RISK;
                this.out.atRisk(grant, cause);
            }
        }
    }

    private void loseAll(Stake stake, LossReason reason) {
        for (Grant grant = stake.grant; grant != null; grant = grant.next) {
            lost(grant, reason);
        }
    }

    private void lost(Grant grant, LossReason reason) {
        // Precedes all changes, because it allocates: without memory, the grant stays, and its loss is noticed again.
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
     * From that time on, a release of the id is sent until it is known that the store has nothing of it, at most until each lease
     * that it may still obtain is over.
     */
    private void end(Stake stake, long releaseAt, Moment now) {
        stake.phase = Phase.ENDING;
        stake.dueAt = releaseAt;
        stake.giveUpAt =
                Math.max(Math.max(stake.giveUpAt, stake.keepUntil), giveUpAt(stake, Math.max(releaseAt, now.nanos())));
        stake.failures = 0;
        if (stake == this.ticket) {
            this.ticket = null;
        }
        Stake former = stake.former;
        if (former != null && former.phase == Phase.SUSPENDED) {
            // A release with a minimum hold proves nothing of an id that is no owner any more, and would be repeated
            // until its end.
            former.keepUntil = former.isDowngraded ? BEFORE : stake.keepUntil;
            former.lostGrants = stake.lostGrants;
            former.storedUntil = stake.storedUntil;
            end(former, releaseAt, now);
        }
    }

    /** Sends the next release without a pause, unless the owners of a lost grant have time left to react. */
    private static void releaseSoon(Stake stake, Moment now) {
        if (stake.lostGrants == 0 || stake.storedUntil <= now.nanos()) {
            stake.dueAt = Math.min(stake.dueAt, now.nanos());
        }
    }

    /** Returns until when releases are repeated, if the id may have something in the store at that time. */
    private long giveUpAt(Stake stake, long from) {
        // Twice the shortest interval is the lease with which the store grants the lock along the line.
        return Moment.sum(from, 2 * Math.max(stake.longestLease, 2 * this.rules.poll()));
    }

    private void sendRelease(Stake stake, @Nullable Stake successor, Moment now) {
        if (stake.waitingQuestions > 0) {
            withdraw(stake);
        }
        stake.isReleasing = true;
        long keep = stake.keepUntil > now.nanos() ? millis(stake.keepUntil - now.nanos()) : 0;
        Successor next = null;
        if (successor != null) {
            Waiter first = Objects.requireNonNull(this.waiters.first);
            asking(successor, true, now);
            successor.terms = first.terms;
            next = new Successor(successor.id, millis(first.terms.lease()));
        }
        // The store has the token of a grant that was not passed on; the downgrade has sent that of a reader.
        long lastToken = stake.passes > 0 ? stake.token : 0;
        send(new Command.Release(this.name, stake.id, lastToken, keep, next), stake, successor, now);
    }

    private void releaseAnswered(Stake stake, Sent sent, Reply reply, Moment now) {
        Grant grant = stake.releasing;
        // Of a reader whose downgrade may not have been executed, the store has the writer.
        boolean isReliable = (stake.former == null || stake.former.isDowngraded)
                // The lease may have run out after the owner has released it, while the command was under way.
                && stake.remaining(now) > 0;
        if (grant != null && isReliable && (reply instanceof Reply.NotOwner || reply instanceof Reply.LeftLine)) {
            boolean isFree = reply instanceof Reply.NotOwner none && none.isFree();
            lost(grant, isFree ? LossReason.DELETED : LossReason.TAKEN_OVER);
            this.out.released(grant, null);
            stake.releasing = null;
            grant.isReturned = true;
        }
        releaseOver(stake, null);
        reportRefusal(stake);
        Stake successor = sent.successor;
        if (successor != null) {
            // Second, because observers see the end of a grant before the next one.
            answered(successor, sent, reply, now);
        }
        if (isOver(stake, sent, reply)) {
            stake.isReleasing = false;
            stake.phase = Phase.OVER;
        } else {
            repeatRelease(stake, now);
        }
    }

    /** The owner of the grant need not wait any longer. */
    private void releaseOver(Stake stake, @Nullable LockStoreException cause) {
        Grant grant = stake.releasing;
        if (grant != null) {
            released(grant, cause);
            stake.releasing = null;
        }
    }

    /** A release proves the end of the id if no question was under way after it was sent, which could be executed after it. */
    private static boolean isOver(Stake stake, Sent release, Reply reply) {
        return stake.openQuestions == 0
                && release.at.nanos() >= stake.settledAt
                && release.at.nanos() >= stake.unsettledUntil
                // With a minimum hold, it does not leave the line.
                && (((Command.Release) release.command).keepMillis() == 0
                        || (reply == Reply.Released.INSTANCE && !stake.isInLineAgain));
    }

    private void repeatRelease(Stake stake, Moment now) {
        stake.isReleasing = false;
        if (now.nanos() >= stake.giveUpAt && stake.openQuestions == 0) {
            stake.phase = Phase.OVER;
        } else {
            stake.dueAt = Moment.sum(now.nanos(), pause(stake, this.rules.poll()));
        }
    }

    // ---- Parts

    private void send(Command command, Stake stake, @Nullable Stake successor, Moment now) {
        Sent sent = new Sent(command, stake, successor, now);
        Stake receiver = successor != null ? successor : stake;
        receiver.longestLease = Math.max(receiver.longestLease, leaseOf(sent));
        this.out.send(sent);
    }

    /** Returns the lease that the command has requested for the stake that it may grant the lock to. */
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

    /** Rounded up, because the store must not count less than the owner. */
    private static long millis(long nanos) {
        return Math.max(1, (nanos + MILLI - 1) / MILLI);
    }

    /** Returns the pause after a failure, which doubles. */
    private long pause(Stake stake, long longest) {
        long pause = FIRST_PAUSE << stake.failures;
        if (stake.failures < 10) {
            stake.failures++;
        }
        return jittered(Math.min(pause, Math.max(longest, MILLI)));
    }

    private long jittered(long nanos) {
        return nanos - this.out.below(nanos / 5 + 1);
    }

    @Nullable
    Stake find(String id) {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.id.equals(id)) {
                return stake;
            }
        }
        return null;
    }

    /** Returns whether a waiter of this JVM may ask the store. Behind an exclusive grant of this JVM, it waits in memory. */
    private boolean mayAsk(Waiter first) {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD && (!stake.kind.isShared() || willBeJoined(stake, first))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the first waiter joins a writer that becomes a reader, as soon as the store has answered the downgrade. */
    private static boolean willBeJoined(Stake stake, Waiter first) {
        return stake.isDowngrading()
                && stake.isJoinable
                && first.kind.mode() == LockMode.READ
                && first.terms.isShareable()
                && first.terms.lease() == stake.terms.lease();
    }

    /** Returns whether this JVM holds permits and the lock is wanted, or the other way round. */
    private boolean isUsedOtherwise(GrantKind kind) {
        boolean isPermit = kind.mode() == LockMode.PERMIT;
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD && (stake.kind.mode() == LockMode.PERMIT) != isPermit) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the waiter can be granted the lock beside what this JVM holds. */
    private boolean fits(Waiter waiter) {
        GrantKind kind = waiter.kind;
        long permits = 0;
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD) {
                if (!kind.isShared() || stake.kind.mode() != kind.mode()) {
                    return false;
                }
                permits += stake.kind.weight();
            }
        }
        return permits == 0 || permits + kind.weight() <= kind.limit();
    }

    /** Returns whether nothing is known that could be forgotten. */
    public boolean isIdle() {
        return this.stakes == null && this.waiters.first == null;
    }

    /** Returns whether a reply has shown that the store has the full lease of the grant. */
    public boolean isConfirmed(Grant grant) {
        return grant.stake.isConfirmed;
    }

    /** Visits all waiters in the order of arrival. */
    public void forEachWaiter(Consumer<Waiter> visitor) {
        for (Waiter waiter = this.waiters.first; waiter != null; waiter = waiter.next) {
            visitor.accept(waiter);
        }
    }

    /** Visits all live grants. */
    public void forEachGrant(Consumer<Grant> visitor) {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD) {
                for (Grant grant = stake.grant; grant != null; grant = grant.next) {
                    visitor.accept(grant);
                }
            }
        }
    }

    /** Returns whether a downgrade has no answer yet. For tests. */
    boolean isDowngrading() {
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.HELD && stake.isDowngrading()) {
                return true;
            }
        }
        return false;
    }

    /** Returns what should hold between two inputs and does not; null: nothing. For tests. */
    @Nullable
    String brokenInvariant() {
        Waiter first = this.waiters.first;
        boolean needsTicket = first != null && mayAsk(first);
        // A reader behind one that had to ask may join.
        if (this.ticket != null ? !needsTicket && !isDowngrading() : needsTicket) {
            return "a ticket without need, or none";
        }
        if (first != null && this.ticket != null && !this.ticket.kind.equals(first.kind)) {
            return "the ticket has not the kind of the first waiter";
        }
        long permits = 0;
        long limit = Long.MAX_VALUE;
        int exclusive = 0;
        int shared = 0;
        for (Stake stake = this.stakes; stake != null; stake = stake.next) {
            if (stake.phase == Phase.OVER || (stake.phase == Phase.ASKING) != (stake == this.ticket)) {
                return "a stake in phase " + stake.phase;
            }
            if (stake.phase == Phase.HELD) {
                List<Grant> grants = stake.grants();
                if (grants.isEmpty() || !grants.stream().allMatch(Grant::isLive)) {
                    return "a held stake without a live grant";
                }
                if (grants.size() > 1 && stake.kind.mode() != LockMode.READ) {
                    return "several owners of a stake";
                }
                permits += stake.kind.weight();
                limit = stake.kind.mode() == LockMode.PERMIT
                        ? Math.max(limit == Long.MAX_VALUE ? 0 : limit, stake.kind.limit())
                        : limit;
                exclusive += stake.kind.isShared() ? 0 : 1;
                shared += stake.kind.isShared() ? 1 : 0;
            }
        }
        if (permits > limit || exclusive > 1 || (exclusive == 1 && shared > 0)) {
            return "held grants that do not fit together";
        }
        return null;
    }

    /** When a question was asked, and why waiters are refused by its outcome. */
    private record Outcome(
            long askedAt, Cause cause, @Nullable LockStoreException failure) {}

    /** A waiter that has left, and is to be notified of its refusal at that time at the latest. */
    private record Leaver(Waiter waiter, Refusal refusal, long latest) {}

    /**
     * All that one JVM knows about one acquisition id in the store, from the first command to the last. Changed by its lock alone. Many
     * may be held at a time, so that small counters are short.
     */
    public static final class Stake {

        enum Phase {
            ASKING,
            HELD,
            /** The id of a writer that has become a reader, which may still own the lock if the store has not executed that. */
            SUSPENDED,
            ENDING,
            OVER
        }

        final String id;

        final GrantKind kind;

        Phase phase = Phase.ASKING;

        private @Nullable Stake next;

        /** When the next question, renewal or release is sent, according to the phase. */
        private long dueAt;

        /** The token of the grant; before it, the largest token of another owner that is known; 0: unknown. */
        private long token;

        // Asking

        private long askedAt = BEFORE;

        /** Whether the latest question has an outcome. */
        private boolean isAnswered = true;

        /** Whether a question has asked for a place in the line. */
        private boolean hasJoined;

        /** Whether the store has replied to a question. */
        private boolean hasReply;

        /** Whether a message has reported a grant that it did not prove. */
        private boolean isNotified;

        /** At some time after this moment, the store had not granted the lock to the id. */
        private Moment base;

        private boolean isChainBroken;

        /** Whether a question after the grant has put the id into the line, because the store has lost the grant. */
        private boolean isInLineAgain;

        /** The last of its acquires that wait to be written; null: none. This and their number are kept by the {@link CommandWindow}. */
        @Nullable
        Sent waiting;

        int waitingQuestions;

        // Questions that may give the id something: under way, or of unknown outcome

        private int openQuestions;

        private long settledAt = BEFORE;

        private long unsettledUntil = BEFORE;

        // Holding

        /** The first of the grants; one that is passed on has one after the other, that of readers has several at a time. */
        private @Nullable Grant grant;

        /** Of the latest grant, or of the waiter for which the ticket has asked. */
        private Terms terms = NO_TERMS;

        /** The longest lease that was requested for the id. */
        private long longestLease;

        /** When the latest command was sent that has set or confirmed the lease. */
        private long renewedAt = BEFORE;

        /** The end of the lease in the store, at the earliest. */
        private long storedUntil = BEFORE;

        /** The end by the wall clock in milliseconds; written before the other one, and read after it. */
        private long validUntilWall;

        /** The end by the monotonic clock; any thread reads it. */
        private volatile long validUntil = BEFORE;

        private long grantedAt;

        private int passes;

        private long keepUntil = BEFORE;

        /** Whether a reply has shown that the store has the full lease. */
        private boolean isConfirmed = true;

        private boolean isJoinable;

        private short renewalsOpen;

        /** Whether commands go to another server, and no renewal was sent to it: replies prove nothing about it. */
        private boolean isServerNew;

        /** From then on, the reply to the latest renewal is late. */
        private long lateAt = NEVER;

        /** The stake of the writer that has become this reader; null: there is none. */
        private @Nullable Stake former;

        private boolean isDowngraded;

        // Ending

        /** The grant whose owner waits for the outcome of the release; null: none. */
        private @Nullable Grant releasing;

        private boolean isReleasing;

        /** The last waiter, which is notified of its refusal when the id has left the line; null: none. */
        private @Nullable Leaver leaver;

        private long giveUpAt;

        /** Grants that were lost because their time was over, and whose owners have not released them. */
        private int lostGrants;

        private byte failures;

        Stake(String id, GrantKind kind, Moment now) {
            this.id = id;
            this.kind = kind;
            this.base = now;
            this.dueAt = now.nanos();
        }

        /** Sets the time of the next question, unless an earlier one is set. */
        private void askAt(long time) {
            if (this.phase == Phase.ASKING) {
                this.dueAt = Math.min(this.dueAt, time);
            }
        }

        /** Returns the nanoseconds for which the owner may rely on the lease, by the stricter clock. Any thread may call it. */
        long remaining(Moment now) {
            long left = this.validUntil - now.nanos();
            return Math.min(left, (this.validUntilWall - now.wallMillis()) * MILLI);
        }

        /** Notes a lease that a command has set. The command that has set the later end decides on both clocks. */
        private void extend(Moment from, long usable, long lease) {
            this.renewedAt = Math.max(this.renewedAt, from.nanos());
            if (from.nanos() + usable > this.validUntil) {
                this.storedUntil = from.nanos() + lease;
                this.validUntilWall = from.wallMillis() + (usable + MILLI - 1) / MILLI;
                this.validUntil = from.nanos() + usable;
            }
        }

        /** The reader goes on with the lease of the writer, on which it relies until the reply to the downgrade. */
        private void continueFrom(Stake writer, Terms terms) {
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
        private boolean isDowngrading() {
            return this.former != null && this.former.phase == Phase.SUSPENDED && !this.former.isDowngraded;
        }

        /** Leases are renewed at the ends of slots of time, so that those of many locks are renewed together. */
        private long nextRenewal() {
            long interval = this.terms.renewAfter();
            if (interval == NEVER) {
                return NEVER;
            }
            long due = this.renewedAt + interval;
            return due - due % Math.max(1, interval / 8);
        }

        /** Returns whether an owner wants renewals, or the store has yet to set the full lease. */
        private boolean needsRenewal(Moment now) {
            boolean isWanted = !this.isConfirmed;
            for (Grant each = this.grant; each != null; each = each.next) {
                isWanted |= each.renewUntil > now.nanos();
            }
            return isWanted;
        }

        /** Returns whether a question may still be executed, or may have been without a reply. */
        private boolean isUnsettled(Moment now) {
            // The store knows nothing of an acquire that waits to be written.
            return this.openQuestions > this.waitingQuestions || this.unsettledUntil > now.nanos();
        }

        /** Returns whether it is in the line of the store, or was granted the lock from it, as far as is known. */
        boolean standsInLine() {
            return (this.hasJoined && this.hasReply) || this.isNotified;
        }

        private boolean isUnknownToStore() {
            return !(this.hasJoined && this.hasReply) && this.openQuestions == 0 && this.unsettledUntil == BEFORE;
        }

        /** Returns whether the store has granted the lock from its line, and the reply to a question has shown that. */
        public boolean isNotified() {
            return this.isNotified;
        }

        private boolean isShared() {
            return this.grant != null && this.grant.next != null;
        }

        private void add(Grant added) {
            Grant head = this.grant;
            added.next = head;
            if (head != null) {
                head.previous = added;
            }
            this.grant = added;
        }

        private void remove(Grant removed) {
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
        private List<Grant> grants() {
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
        private void ownerIsDone(Moment now) {
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
}
