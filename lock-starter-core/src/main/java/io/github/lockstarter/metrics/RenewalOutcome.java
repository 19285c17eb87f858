package io.github.lockstarter.metrics;

import io.github.lockstarter.LockRenewalFailedEvent;

/** Outcomes of a renewal, as values of the tag {@code outcome}. */
enum RenewalOutcome {
    /** The lease was renewed. */
    RENEWED,
    /** There was no usable reply. */
    FAILED,
    /** The store reported that the lock has another owner or none. */
    LOST;

    static RenewalOutcome of(LockRenewalFailedEvent event) {
        return event.lossReason() != null ? LOST : FAILED;
    }
}
