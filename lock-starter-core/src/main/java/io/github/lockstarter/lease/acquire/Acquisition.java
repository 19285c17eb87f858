package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.Deadline;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.GrantKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock: its deadline, and what is known from its attempts. Attempts run on one thread at a time;
 * timers and other threads may read.
 */
public final class Acquisition implements WaitingRequest {

    private final LeaseClock clock;

    private final LockSettings settings;

    private final LockRequest request;

    private final @Nullable Thread owner;

    private final Duration waitTime;

    private final Deadline deadline;

    private final GrantKind kind;

    private final long leaseMillis;

    private final long startedAt;

    private final PollSchedule polls;

    /** The failure of the last attempt; null if that had a reply. The timer may read it. */
    private volatile @Nullable LockStoreException lastFailure;

    /** Whether an attempt without a reply may have been executed, or may still be. */
    private volatile boolean unanswered;

    /** Written by the thread that asks. */
    private volatile boolean waiting;

    /** Null: the store has not refused the lock. */
    private volatile AcquireReply.@Nullable Taken refusal;

    Acquisition(
            LeaseClock clock,
            LockSettings settings,
            LeaseTerms terms,
            LockRequest request,
            @Nullable Duration waitTime,
            @Nullable Thread owner) {
        this.clock = clock;
        this.settings = settings;
        this.request = request;
        this.owner = owner;
        this.startedAt = clock.nanoTime();
        Duration requested = waitTime != null ? waitTime : request.waitTime();
        this.waitTime = requested != null ? requested : settings.waitTime();
        this.deadline = Deadline.in(this.waitTime, this.startedAt);
        this.kind = GrantKind.of(request);
        this.leaseMillis = terms.leaseMillis(request);
        this.polls = new PollSchedule(settings.pollInterval().toNanos());
    }

    /** Notes that another acquisition has the lock. */
    void refused(AcquireReply.Taken reply) {
        this.lastFailure = null;
        this.refusal = reply;
        this.polls.taken(reply);
    }

    /** Returns the last refusal of the store; null: there was none. */
    AcquireReply.@Nullable Taken refusal() {
        return this.refusal;
    }

    /** Notes that the store gave no usable reply; returns whether this is the first failure after a reply. */
    boolean failed(LockStoreException ex) {
        this.lastFailure = ex;
        if (ex.isOutcomeUnknown()) {
            this.unanswered = true;
        }
        return this.polls.failed();
    }

    /** Notes that the thread that asked was interrupted before the store replied. */
    void interrupted() {
        this.unanswered = true;
    }

    /** Notes whether the lock is held at the end of a wait in the local queue; a failure: the store could not tell. */
    void verified(@Nullable LockStoreException failure) {
        if (failure != null) {
            this.lastFailure = failure;
        }
    }

    /** Notes that the wait ends without a reply to the last attempt. */
    void silent(QueueNode<?> node, String shownName) {
        LineTicket ticket = node.ticket();
        if (ticket != null && ticket.isSilent()) {
            this.unanswered = true;
        }
        if (this.lastFailure == null) {
            this.lastFailure = new LockStoreException(
                    "The store of lock '" + shownName + "' has not answered yet.", null, this.unanswered, true);
        }
    }

    /** Returns the nanoseconds until the next attempt makes sense, at most what is left of the wait. */
    long pause() {
        return Math.min(this.polls.pause(), remaining());
    }

    /** Returns the nanoseconds left of the wait; zero or negative when it is over. */
    long remaining() {
        return this.deadline.remaining(this.clock.nanoTime());
    }

    /** Returns the nanoseconds by which the end of the wait may still be delayed: one command timeout after its deadline. */
    long grace() {
        long now = this.clock.nanoTime();
        long late = this.deadline.isOnce() ? now - this.startedAt : -this.deadline.remaining(now);
        return this.settings.commandTimeout().toNanos() - Math.max(0, late);
    }

    /** Returns whether the ticket stands in line and nothing has happened since then: the wait then begins with a pause. */
    boolean mayWaitFirst(QueueNode<?> node) {
        LineTicket ticket = node.ticket();
        long rest = ticket != null
                ? ticket.restNanos(
                        this.clock.nanoTime(), this.settings.pollInterval().toNanos())
                : 0;
        // At the end of the wait there is no time for that, and a refusal needs a reply of its own.
        if (rest <= 0 || remaining() <= 0) {
            return false;
        }
        this.polls.rest(rest);
        return true;
    }

    /** Returns whether the last attempt failed in a way that waiting cannot change. */
    boolean isHopeless() {
        LockStoreException failure = this.lastFailure;
        return failure != null && !failure.isTransient();
    }

    /** Returns why the last attempt has no reply; null if it has one. */
    @Nullable
    LockStoreException failure() {
        return this.lastFailure;
    }

    /** Returns whether an attempt without a reply may have been executed, or may still be. */
    boolean isUnanswered() {
        return this.unanswered;
    }

    Deadline deadline() {
        return this.deadline;
    }

    Duration waitTime() {
        return this.waitTime;
    }

    /** Returns the time since the beginning of the call. */
    Duration waited() {
        return Duration.ofNanos(this.clock.nanoTime() - this.startedAt);
    }

    void setWaiting(boolean now) {
        this.waiting = now;
    }

    @Override
    public boolean isWaiting() {
        return this.waiting;
    }

    @Override
    public LockRequest request() {
        return this.request;
    }

    @Override
    public @Nullable Thread owner() {
        return this.owner;
    }

    @Override
    public GrantKind kind() {
        return this.kind;
    }

    @Override
    public long leaseMillis() {
        return this.leaseMillis;
    }

    @Override
    public boolean mayWait() {
        return !this.deadline.isOnce();
    }

    @Override
    public boolean wantsRenewal() {
        return LeaseTerms.isRenewed(this.request);
    }

    @Override
    public long startedAt() {
        return this.startedAt;
    }
}
