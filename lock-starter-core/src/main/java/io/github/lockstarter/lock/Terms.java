package io.github.lockstarter.lock;

/**
 * The times of a grant in nanoseconds, after the defaults and the settings of its name have been applied. Immutable,
 * and shared by all grants of equal requests.
 *
 * @param lease lease that each command requests for the grant, at least 1 ms
 * @param renewAfter time from one renewal to the next, or {@link Moment#NEVER} if the lease is fixed and never renewed
 * @param maxHold time after which the grant is no longer renewed, or {@link Moment#NEVER} if there is no limit
 * @param minHold minimum time for which the lock stays taken, or 0 if there is none
 */
public record Terms(long lease, long renewAfter, long maxHold, long minHold) {

    public boolean isRenewed() {
        return this.renewAfter != Moment.NEVER;
    }

    /**
     * Returns whether a reader with these terms may share an acquisition with other readers. Its grant must not end
     * before the grants of the others, and the lock must become free when the last reader releases it.
     */
    boolean isShareable() {
        return isRenewed() && this.maxHold == Moment.NEVER && this.minHold == 0;
    }
}
