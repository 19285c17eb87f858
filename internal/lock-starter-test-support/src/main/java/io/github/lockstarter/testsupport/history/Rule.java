package io.github.lockstarter.testsupport.history;

import java.util.Locale;

/** What must be true of a history. */
public enum Rule {
    /** Two owners at the same time must not both have good reason to believe that they hold the lock. */
    BELIEF,
    /** A fencing token must be larger than each one that was known before its lock was requested. */
    TOKENS,
    /** A lock must not be granted again before its last owner was notified of the loss. */
    NOTICE,
    /** A release must not report success after another owner was granted the lock. */
    RELEASE,
    /** A wait must end in time. */
    WAITING,
    /** A key must not outlive all clients by more than its lease. */
    LEFTOVERS;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
