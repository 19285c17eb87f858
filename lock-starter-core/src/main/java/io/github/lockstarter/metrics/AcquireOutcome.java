package io.github.lockstarter.metrics;

import io.github.lockstarter.LockNotAcquiredEvent;

/** How an attempt to acquire ends. */
enum AcquireOutcome {
    ACQUIRED,
    TIMEOUT,
    INTERRUPTED,
    ERROR;

    static AcquireOutcome of(LockNotAcquiredEvent.Outcome outcome) {
        return switch (outcome) {
            case TIMEOUT -> TIMEOUT;
            case INTERRUPTED -> INTERRUPTED;
            case ERROR -> ERROR;
        };
    }
}
