package io.github.lockstarter.metrics;

import io.github.lockstarter.LockNotAcquiredEvent;
import java.util.Locale;

/** How an attempt to acquire ends. */
enum AcquireOutcome {
    ACQUIRED,
    TIMEOUT,
    INTERRUPTED,
    ERROR;

    private final String tag = name().toLowerCase(Locale.ROOT);

    String tag() {
        return this.tag;
    }

    static AcquireOutcome of(LockNotAcquiredEvent.Outcome outcome) {
        return switch (outcome) {
            case TIMEOUT -> TIMEOUT;
            case INTERRUPTED -> INTERRUPTED;
            case ERROR -> ERROR;
        };
    }
}
