package io.github.lockstarter.metrics;

import io.github.lockstarter.LockNotAcquiredEvent;
import java.util.Locale;

/** Outcomes of an acquisition, as values of the tag {@code outcome}. */
enum AcquireOutcome {
    ACQUIRED,
    TIMEOUT,
    SKIPPED,
    QUEUE_FULL,
    INTERRUPTED,
    ERROR;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** Returns the value of the tag: the name in lower case. */
    String tag() {
        return this.tag;
    }

    static AcquireOutcome of(LockNotAcquiredEvent.Outcome outcome) {
        return valueOf(outcome.name());
    }
}
