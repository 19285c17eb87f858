package io.github.lockstarter.lease.settings;

/**
 * Determines whether a lease may go on in this JVM without the store.
 *
 * @param maxNanos nanoseconds since the grant of the store
 * @param maxCount number of hand-offs since then
 * @param enoughNanos nanoseconds that must be left of the lease: with less, the store is asked, which grants a full lease
 */
public record HandOffLimits(long maxNanos, int maxCount, long enoughNanos) {

    /** Returns the limits of those settings. */
    public static HandOffLimits of(LockSettings settings) {
        HandOffSettings handOff = settings.handOff();
        return new HandOffLimits(
                handOff.maxTime().toNanos(),
                handOff.maxCount(),
                settings.watchdogTimeout().toNanos() / 2);
    }
}
