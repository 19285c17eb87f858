package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.InterruptShield;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The outcome of a renewal for which a thread waits; it is applied to the grant as that of any other renewal. */
final class AwaitedRenewal implements RenewalAttempt.Outcome {

    private final RenewalAttempt.Outcome renewer;

    private final CountDownLatch settled = new CountDownLatch(1);

    private volatile @Nullable LockStoreException failure;

    private volatile boolean answered;

    AwaitedRenewal(RenewalAttempt.Outcome renewer) {
        this.renewer = renewer;
    }

    @Override
    public void renewed(Grant grant, RenewalAttempt attempt) {
        this.answered = true;
        this.renewer.renewed(grant, attempt);
        this.settled.countDown();
    }

    @Override
    public void lost(Grant grant, RenewalAttempt attempt, LossReason reason) {
        this.answered = true;
        this.renewer.lost(grant, attempt, reason);
        this.settled.countDown();
    }

    @Override
    public void failed(Grant grant, RenewalAttempt attempt, LockStoreException cause) {
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
                shield.noteInterrupt();
                done = false;
            }
        }
    }

    /** Returns whether the store has replied. */
    boolean isAnswered() {
        return this.answered;
    }

    /** Throws if the grant is lost or the store did not reply. */
    void check(Grant grant, Losses losses) {
        LossReason reason = grant.state().lossReason();
        if (reason != null) {
            throw losses.exception(grant, reason);
        }
        if (!this.answered) {
            LockStoreException cause = this.failure;
            throw new LockStoreException(
                    "The lease of lock '" + losses.shownName(grant) + "' could not be extended; it is unchanged. "
                            + (cause != null ? cause.getMessage() : "The store has not answered."),
                    cause,
                    cause == null || cause.isOutcomeUnknown(),
                    cause == null || cause.isTransient());
        }
    }
}
