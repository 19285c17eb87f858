package io.github.lockstarter.lease.queue;

/**
 * A moment after which the store was seen not to have granted the lock to a ticket yet. A grant to the ticket that is made
 * later cannot expire earlier than its time counted from this moment.
 *
 * @param sentAt nanoseconds of the monotonic clock at which the command was sent whose reply showed it
 * @param sentAtWall milliseconds of the wall clock at the same moment
 * @param ownerToken fencing token of an owner behind which the ticket was in the line; 0: unknown
 */
public record LineBase(long sentAt, long sentAtWall, long ownerToken) {

    /** Returns the later of the two moments, with the token that is known from the later reply. */
    LineBase and(LineBase other) {
        boolean isLater = other.sentAt - this.sentAt > 0;
        LineBase later = isLater ? other : this;
        LineBase earlier = isLater ? this : other;
        return later.ownerToken > 0 || earlier.ownerToken == 0
                ? later
                : new LineBase(later.sentAt, later.sentAtWall, earlier.ownerToken);
    }
}
