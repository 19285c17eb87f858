package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One call that wants a lock: its deadline, and what is known of its attempts. Asks on one thread at a time. */
final class Acquisition {

    private static final LockLog logger = LockLog.of(Acquisition.class);

    private final LockEngine engine;

    private final LockRequest request;

    private final @Nullable Thread owner;

    private final Duration waitTime;

    private final Deadline deadline;

    private final long leaseMillis;

    private final long startedAt;

    /** The failure of the last attempt; null if that was answered. The timer may read it. */
    private volatile @Nullable LockStoreException lastFailure;

    /** Whether an attempt may have been executed, or may still be, without our knowing. */
    private volatile boolean unanswered;

    /** Written by the thread that asks. */
    private volatile boolean waiting;

    private final WaitingPace pace;

    Acquisition(LockEngine engine, LockRequest request, Duration waitTime, @Nullable Thread owner) {
        this.engine = engine;
        this.request = request;
        this.owner = owner;
        this.startedAt = engine.clock().nanoTime();
        this.waitTime = waitTime;
        this.deadline = Deadline.in(waitTime, this.startedAt);
        this.leaseMillis = engine.leaseMillis(request);
        this.pace = new WaitingPace(engine.pollNanos());
    }

    /** Throws if the registry takes no acquisitions any more. */
    void ensureAccepting() {
        if (!this.engine.isAccepting()) {
            throw refusal();
        }
    }

    /** Says that the registry has stopped. */
    LockException refusal() {
        return new LockException("Lock '" + shownName()
                + "' is not acquired: the lock registry has been stopped, the application is shutting down.");
    }

    /** Asks the store once; null if the lock was not granted, {@link #pause()} says when to ask again. */
    @Nullable
    Grant attempt(Turn turn) {
        return Attempt.now(this.engine, this, turn);
    }

    /** As {@link #attempt}, without waiting for the answer if the store can do that. */
    Attempt attemptLater(Turn turn, Runnable onAnswer) {
        return Attempt.later(this.engine, this, turn, onAnswer);
    }

    /** The store says that somebody else has the lock, for that long unless it is renewed or released. */
    void refused(long remainingMillis) {
        this.lastFailure = null;
        this.pace.taken(remainingMillis);
    }

    /** The store gave no usable answer. */
    void failed(LockStoreException ex) {
        this.lastFailure = ex;
        if (ex.isOutcomeUnknown()) {
            this.unanswered = true;
        }
        if (this.pace.failed() && this.deadline.isNever() && ex.isTransient()) {
            this.engine
                    .threads()
                    .log(() -> logger.warn("Lock '" + shownName() + "' waits for its store: " + ex.getMessage()));
        }
    }

    /** The thread that asked was interrupted before the store answered. */
    void interrupted() {
        this.unanswered = true;
    }

    /** Nanoseconds until the next attempt makes sense; at most what is left of the wait, not positive if it is over. */
    long pause() {
        return Math.min(this.pace.pause(), remaining());
    }

    /** Nanoseconds left of the wait. */
    long remaining() {
        return this.deadline.remaining(this.engine.clock().nanoTime());
    }

    Deadline deadline() {
        return this.deadline;
    }

    LockRequest request() {
        return this.request;
    }

    @Nullable
    Thread owner() {
        return this.owner;
    }

    long leaseMillis() {
        return this.leaseMillis;
    }

    /** Whether it waits if the lock is taken, and stands in line for that. */
    boolean mayWait() {
        return !this.deadline.isOnce();
    }

    /** Whether its grant will be renewed by the watchdog. */
    boolean wantsRenewal() {
        return LockEngine.isRenewed(this.request);
    }

    long startedAt() {
        return this.startedAt;
    }

    /** Why the last attempt has no answer; null if it has one. After the wait: why nobody can say who has the lock. */
    @Nullable
    LockStoreException failure() {
        return this.lastFailure;
    }

    /** Whether the last attempt failed in a way that waiting cannot mend. */
    boolean isHopeless() {
        return this.lastFailure != null && !this.lastFailure.isTransient();
    }

    /** Notes that the caller has to wait from now on. */
    void beginWaiting() {
        if (!this.waiting) {
            this.waiting = true;
            this.engine.waiting().began();
        }
    }

    /** Whether the caller has to wait. */
    boolean isWaiting() {
        return this.waiting;
    }

    /** Whether the place stands in line and nothing has happened since: then {@link #pause()} comes first. */
    boolean mayWaitFirst(Turn turn) {
        Place place = turn.place();
        long rest = place != null ? place.mayRest(this.engine.clock().nanoTime(), this.engine.pollNanos()) : 0;
        // At the end of the wait there is no time for that, and a refusal needs an answer of its own.
        if (rest <= 0 || remaining() <= 0) {
            return false;
        }
        this.pace.rest(rest);
        return true;
    }

    /** Notes the end of the wait. */
    void endWaiting() {
        if (this.waiting) {
            this.waiting = false;
            this.engine.waiting().ended();
        }
    }

    /**
     * Ends a turn without a grant; it has no place if the registry has stopped before it was called.
     *
     * @return completed when the place has left the store's line, or the store has failed to answer
     */
    CompletionStage<?> passOn(Turn turn) {
        Place place = turn.place();
        return place != null ? this.engine.passOn(turn, place) : LockEngine.NOTHING_TO_AWAIT;
    }

    /** Nanoseconds for which the end of the wait may still be delayed: it ends one command timeout after its deadline. */
    long grace() {
        long now = this.engine.clock().nanoTime();
        long late = this.deadline.isOnce() ? now - this.startedAt : -this.deadline.remaining(now);
        return this.engine.settings().commandTimeout().toNanos() - Math.max(0, late);
    }

    /** The store could not tell at the end of the wait whether anybody holds the lock. */
    void unverified(LockStoreException ex) {
        this.lastFailure = ex;
    }

    /** The wait is over, and the store has not answered the last question. */
    void silent(Turn turn) {
        Place place = turn.place();
        if (place != null && place.isSilent()) {
            this.unanswered = true;
        }
        if (this.lastFailure == null) {
            this.lastFailure = new LockStoreException(
                    "The store of lock '" + shownName() + "' has not answered yet.", null, this.unanswered, true);
        }
    }

    /**
     * Notes that the wait is over, and says with what: the store's failure if the last attempt failed, for then nobody
     * knows who has the lock.
     */
    LockException giveUp() {
        LockStoreException failure = this.lastFailure;
        if (failure == null) {
            tell(Outcome.TIMEOUT, null);
            Duration waited = waited();
            return notGranted(
                    "Lock '" + shownName() + "' is held by somebody else." + effort(waited)
                            + " A longer wait time helps, or a shorter hold." + ownLease(),
                    waited);
        }
        tell(Outcome.ERROR, failure);
        return new LockStoreException(
                failure.getMessage() + effort(waited()), failure, this.unanswered, failure.isTransient());
    }

    /** Creates the refusal that the caller gets now. */
    LockNotGrantedException notGranted(String message) {
        return notGranted(message, waited());
    }

    private LockNotGrantedException notGranted(String message, Duration waited) {
        return new LockNotGrantedException(message, this.request.lockName(), waited, this.waitTime);
    }

    /** As {@link #giveUp}, but that somebody else has the lock is an answer, not an exception. */
    void giveUpIfUnknown() {
        if (this.lastFailure != null) {
            throw giveUp();
        }
        tell(Outcome.TIMEOUT, null);
    }

    /** Who has a lease that belongs to no thread cannot be told from others, and may well be the caller. */
    private String ownLease() {
        return this.owner == null ? " A lease counts as well that the caller holds itself." : "";
    }

    private Duration waited() {
        return Duration.ofNanos(this.engine.clock().nanoTime() - this.startedAt);
    }

    private String effort(Duration waited) {
        return this.deadline.isOnce() ? " Tried once." : " Gave up after " + waited.toMillis() + " ms.";
    }

    private String shownName() {
        return this.engine.names().of(this.request.lockName());
    }

    void tell(Outcome outcome, @Nullable Throwable cause) {
        this.engine.events().notAcquired(this.request, outcome, this.startedAt, cause);
    }
}
