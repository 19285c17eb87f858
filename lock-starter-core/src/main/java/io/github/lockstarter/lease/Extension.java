package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A renewal that somebody waits for: the watchdog hears of it as of any other, and the waiter learns how it went. */
final class Extension implements RenewalAttempt.Outcome {

    private final RenewalAttempt.Outcome watchdog;

    private final CountDownLatch settled = new CountDownLatch(1);

    private volatile @Nullable LockStoreException failure;

    private volatile boolean answered;

    Extension(RenewalAttempt.Outcome watchdog) {
        this.watchdog = watchdog;
    }

    @Override
    public void renewed(RenewalAttempt attempt) {
        this.answered = true;
        this.watchdog.renewed(attempt);
        this.settled.countDown();
    }

    @Override
    public void lost(RenewalAttempt attempt, LossReason reason) {
        this.answered = true;
        this.watchdog.lost(attempt, reason);
        this.settled.countDown();
    }

    @Override
    public void failed(RenewalAttempt attempt, LockStoreException cause) {
        this.failure = cause;
        this.settled.countDown();
    }

    /** Waits for the outcome, which may arrive on another thread. */
    void await(long atMostMillis, InterruptShield shield) {
        boolean done = false;
        while (!done) {
            try {
                done = true;
                this.settled.await(atMostMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                shield.took();
                done = false;
            }
        }
    }

    /** Whether the store gave an answer. */
    boolean isAnswered() {
        return this.answered;
    }

    /** Throws what the waiter has to know. */
    void check(Grant grant, LoggedNames names) {
        LossReason reason = grant.standing().lossReason();
        if (reason != null) {
            throw LossDescription.of(names, grant, reason);
        }
        if (!this.answered) {
            LockStoreException cause = this.failure;
            throw new LockStoreException(
                    "Lock '" + names.of(grant.lockName()) + "' could not be lengthened; it goes on unchanged. "
                            + (cause != null ? cause.getMessage() : "The store has not answered."),
                    cause,
                    cause == null || cause.isOutcomeUnknown(),
                    cause == null || cause.isTransient());
        }
    }
}
