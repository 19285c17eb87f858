package io.github.lockstarter.metrics;

import io.github.lockstarter.LockRenewalFailedEvent;

/** How a renewal ends. */
enum RenewalOutcome {
    /** The lease was extended. */
    RENEWED,
    /** No usable answer. */
    FAILED,
    /** The store said that the lock is not ours any more. */
    LOST;

    static RenewalOutcome of(LockRenewalFailedEvent event) {
        return event.lossReason() != null ? LOST : FAILED;
    }
}
