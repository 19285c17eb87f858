package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/** A renewal that somebody waits for: the watchdog hears of it as of any other, and the waiter learns how it went. */
final class Extension implements RenewalAttempt.Outcome {

    private final RenewalAttempt.Outcome watchdog;

    private volatile @Nullable LockStoreException failure;

    private volatile boolean answered;

    Extension(RenewalAttempt.Outcome watchdog) {
        this.watchdog = watchdog;
    }

    @Override
    public void renewed(RenewalAttempt attempt) {
        this.answered = true;
        this.watchdog.renewed(attempt);
    }

    @Override
    public void lost(RenewalAttempt attempt, LossReason reason) {
        this.answered = true;
        this.watchdog.lost(attempt, reason);
    }

    @Override
    public void failed(RenewalAttempt attempt, LockStoreException cause) {
        this.failure = cause;
    }

    /** Whether the store gave an answer. */
    boolean isAnswered() {
        return this.answered;
    }

    /** Throws what the waiter has to know. */
    void check(Grant grant) {
        LossReason reason = grant.standing().lossReason();
        if (reason != null) {
            throw LossDescription.of(grant, reason);
        }
        LockStoreException cause = this.failure;
        if (!this.answered && cause != null) {
            throw new LockStoreException(
                    "Lock '" + grant.lockName() + "' could not be lengthened for a nested hold; the hold around it goes"
                            + " on unchanged. " + cause.getMessage(),
                    cause,
                    cause.isOutcomeUnknown(),
                    cause.isTransient());
        }
    }
}
