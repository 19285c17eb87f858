package io.github.lockstarter.lock;

/**
 * The times of a grant, with the defaults and settings of its name applied. Nanoseconds. Immutable, and shared by all
 * grants of equal requests.
 *
 * @param lease lease that each command requests for the grant, at least 1 ms
 * @param renewAfter time from one renewal to the next; {@link Moment#NEVER}: a fixed lease, which is never renewed
 * @param maxHold time after which a grant is not renewed any more; {@link Moment#NEVER}: without a limit
 * @param minHold time for which the lock stays taken at least; 0: none
 */
public record Terms(long lease, long renewAfter, long maxHold, long minHold) {

    public boolean isRenewed() {
        return this.renewAfter != Moment.NEVER;
    }

    /**
     * Returns whether a reader with these terms may share the grant of another one: neither must end before the other,
     * and the lock must be free when the last of them has left.
     */
    boolean isShareable() {
        return isRenewed() && this.maxHold == Moment.NEVER && this.minHold == 0;
    }
}
