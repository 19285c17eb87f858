package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.List;

/**
 * One atomic step on a lock in memory: its time, the tokens that it may use, and the grants that it makes along the
 * waiting line. Not thread-safe.
 */
final class LockStep {

    /** A grant of which the waiters are to be notified. */
    private record LineGrant(String acquisitionId, long token) {}

    private final String lockName;

    private final long now = System.nanoTime();

    private final FencingTokens tokens;

    /** Unmodifiable until the first grant, because most steps make none. */
    private List<LineGrant> grants = List.of();

    LockStep(String lockName, FencingTokens tokens) {
        this.lockName = lockName;
        this.tokens = tokens;
    }

    /** Returns the time of the step in nanoseconds of {@link System#nanoTime()}. */
    long now() {
        return this.now;
    }

    /** Returns a token for a new grant of that kind, larger than the given one. */
    long nextToken(long after, GrantKind kind) {
        return this.tokens.next(after, kind.reservedTokens());
    }

    /** Creates the exception for a lock that is used for permits, or for a semaphore that is used as a lock. */
    LockStoreException inUseAs(LockMode mode) {
        String uses = mode == LockMode.PERMIT
                ? "for permits, and cannot be used as a lock"
                : "as a lock, and cannot be used for permits";
        // The store does not know whether keys may be logged.
        return new LockStoreException(
                "The lock '" + LoggedNames.WITHOUT_KEYS.of(this.lockName) + "' is in use " + uses
                        + ". Use different names for a lock and for a semaphore.",
                null,
                false,
                false);
    }

    /** Adds a grant along the line. */
    void grantedInLine(String acquisitionId, long token) {
        if (this.grants.isEmpty()) {
            this.grants = new ArrayList<>(2);
        }
        this.grants.add(new LineGrant(acquisitionId, token));
    }

    /** Notifies all listeners of the grants along the line; called after the step. */
    void notify(Iterable<WaitingListener> listeners) {
        for (LineGrant grant : this.grants) {
            listeners.forEach(listener -> listener.granted(this.lockName, grant.acquisitionId(), grant.token()));
        }
    }
}
