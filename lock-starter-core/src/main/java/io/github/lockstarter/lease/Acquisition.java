package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock: its id, drawn once and used for every attempt of the call, its deadline, and what is known
 * of its attempts. Used by one thread at a time.
 */
final class Acquisition {

    private static final Log logger = LogFactory.getLog(Acquisition.class);

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long WAKE_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

    private final LockEngine engine;

    private final LockRequest request;

    private final @Nullable Thread owner;

    private final Deadline deadline;

    private final String id;

    private final long leaseMillis;

    private final long startedAt;

    /** The failure of the last attempt; null if that was answered. The timer may read it. */
    private volatile @Nullable LockStoreException lastFailure;

    private int failures;

    /** Whether an attempt may have been executed, or may still be, without our knowing. */
    private volatile boolean unanswered;

    private boolean waiting;

    private long nextPause;

    Acquisition(LockEngine engine, LockRequest request, Duration waitTime, @Nullable Thread owner) {
        this.engine = engine;
        this.request = request;
        this.owner = owner;
        this.id = engine.acquisitionIds().next();
        this.startedAt = engine.clock().nanoTime();
        this.deadline = Deadline.in(waitTime, this.startedAt);
        this.leaseMillis = engine.leaseMillis(request);
    }

    /** Throws if the registry takes no acquisitions any more. */
    void ensureAccepting() {
        if (!this.engine.isAccepting()) {
            throw refusal();
        }
    }

    /** Notes that the registry has stopped. */
    LockException refusal() {
        LockException refusal = new LockException("Lock '" + this.request.lockName()
                + "' is not acquired: the lock registry has been stopped, the application is shutting down.");
        tell(Outcome.ERROR, refusal);
        return refusal;
    }

    /** Asks the store once; null if the lock was not granted, {@link #pause()} says when to ask again. */
    @Nullable
    Grant attempt(Turn turn) {
        this.engine.attempts().began();
        try {
            ensureAccepting();
            return ask(turn);
        } catch (LockStoreException ex) {
            failed(turn, ex);
            return null;
        } finally {
            this.engine.attempts().ended();
        }
    }

    private @Nullable Grant ask(Turn turn) {
        LeaseClock clock = this.engine.clock();
        long sentAt = clock.nanoTime();
        long sentAtWall = clock.currentTimeMillis();
        turn.asking(sentAt);
        AcquireReply reply;
        try {
            reply = this.engine.store().acquire(this.request.lockName(), this.id, this.leaseMillis);
        } catch (LockStoreException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw new LockStoreException(
                    "The store of lock '" + this.request.lockName() + "' failed: " + ex, ex, true, false);
        }
        turn.answered(null);
        if (reply instanceof AcquireReply.Granted granted) {
            long now = clock.nanoTime();
            Grant grant = new Grant(this.request, this.id, granted.fencingToken(), now, turn, this.owner);
            grant.extend(sentAt, sentAtWall, this.leaseMillis);
            if (this.engine.hasGivenUp()) {
                // Nobody renews or releases any more, nor takes this one back: it runs out by itself.
                throw refusal();
            }
            if (!grant.hasEnded(clock)) {
                grant.setRenewUntil(this.engine.renewUntil(this.request, now));
                if (this.unanswered) {
                    grant.setUnansweredUntil(now + TimeUnit.MILLISECONDS.toNanos(this.leaseMillis));
                }
                this.engine.begin(grant, this.startedAt, sentAt);
                return grant;
            }
            throw new LockStoreException(
                    "Lock '" + this.request.lockName() + "' was granted, but the answer took longer than the lease of "
                            + this.leaseMillis + " ms allows. Ask for a longer lease.",
                    null,
                    true,
                    true);
        }
        this.lastFailure = null;
        this.failures = 0;
        this.nextPause = pauseWhileTaken(((AcquireReply.Taken) reply).remainingMillis());
        return null;
    }

    private void failed(Turn turn, LockStoreException ex) {
        turn.answered(ex);
        this.lastFailure = ex;
        this.unanswered |= ex.isOutcomeUnknown();
        if (this.failures++ == 0 && this.deadline.isNever() && ex.isTransient()) {
            logger.warn("Lock '" + this.request.lockName() + "' waits for its store: " + ex.getMessage());
        }
        long pause = FIRST_RETRY << Math.min(this.failures - 1, 10);
        this.nextPause = jittered(Math.min(pause, this.engine.pollNanos()));
    }

    /** The holder's remaining time or the poll interval, whichever is earlier, and a little more or less. */
    private long pauseWhileTaken(long remainingMillis) {
        long remaining = TimeUnit.MILLISECONDS.toNanos(Math.min(remainingMillis, TimeUnit.DAYS.toMillis(1)));
        return remaining < this.engine.pollNanos()
                ? remaining + ThreadLocalRandom.current().nextLong(WAKE_JITTER)
                : jittered(this.engine.pollNanos());
    }

    private static long jittered(long nanos) {
        return nanos - ThreadLocalRandom.current().nextLong(nanos / 5 + 1);
    }

    /** Nanoseconds until the next attempt makes sense; at most what is left of the wait, not positive if it is over. */
    long pause() {
        return Math.min(this.nextPause, remaining());
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

    /** Notes the end of the call; without a grant, what unanswered attempts may have left is taken back. */
    void end(boolean granted) {
        if (this.waiting) {
            this.engine.waiting().ended();
        }
        if (!granted && this.unanswered) {
            this.engine.backgroundRelease().ofUnanswered(this.request.lockName(), this.id, this.leaseMillis);
        }
    }

    /**
     * The wait is over without an answer of our own, perhaps: if nobody in this JVM could ask the store in that time, it
     * would be wrong to say that somebody else holds the lock.
     */
    void consider(Turn turn) {
        if (turn.isSilentSince(this.engine.clock().nanoTime())) {
            this.unanswered = true;
            this.lastFailure = silence(true);
        }
        Turn first = this.engine.queues().first(this.request.lockName());
        if (this.lastFailure == null && first != null && first != turn) {
            boolean silent = !this.deadline.isOnce() && first.isSilentSince(this.startedAt);
            this.lastFailure = silent ? silence(false) : first.trouble();
        }
    }

    private LockStoreException silence(boolean outcomeUnknown) {
        return new LockStoreException(
                "The store of lock '" + this.request.lockName() + "' has not answered yet.",
                null,
                outcomeUnknown,
                true);
    }

    /**
     * Notes that the wait is over, and says with what: the store's failure if the last attempt failed, for then nobody
     * knows who has the lock.
     */
    LockException giveUp() {
        LockStoreException failure = this.lastFailure;
        if (failure == null) {
            tell(Outcome.TIMEOUT, null);
            return new LockNotGrantedException("Lock '" + this.request.lockName() + "' is held by somebody else."
                    + waited() + " A longer wait time helps, or a shorter hold.");
        }
        tell(Outcome.ERROR, failure);
        return new LockStoreException(failure.getMessage() + waited(), failure, this.unanswered, failure.isTransient());
    }

    /** As {@link #giveUp}, but that somebody else has the lock is an answer, not an exception. */
    void giveUpIfUnknown() {
        if (this.lastFailure != null) {
            throw giveUp();
        }
        tell(Outcome.TIMEOUT, null);
    }

    private String waited() {
        long millis = TimeUnit.NANOSECONDS.toMillis(this.engine.clock().nanoTime() - this.startedAt);
        return this.deadline.isOnce() ? " Tried once." : " Gave up after " + millis + " ms.";
    }

    void tell(Outcome outcome, @Nullable Throwable cause) {
        this.engine.events().notAcquired(this.request, outcome, this.startedAt, cause);
    }
}
