package io.github.lockstarter.lock;

/**
 * One reading of both clocks of a JVM. The monotonic clock may stand still while a virtual machine is suspended; the
 * wall clock may step.
 *
 * @param nanos nanoseconds of the monotonic clock; never negative
 * @param wallMillis milliseconds of the wall clock
 */
public record Moment(long nanos, long wallMillis) {

    public static final long MILLI = 1_000_000;

    /** A time that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A time before all others. */
    public static final long BEFORE = -1;

    /**
     * Returns the nanoseconds since an earlier moment, by the clock that shows more, because the owner of a lease must
     * not underestimate the elapsed time.
     */
    long since(Moment earlier) {
        return Math.max(this.nanos - earlier.nanos, (this.wallMillis - earlier.wallMillis) * MILLI);
    }

    /** Returns the sum of two times that are not negative, or {@link #NEVER} if it overflows. */
    public static long sum(long nanos, long duration) {
        long sum = nanos + duration;
        return sum < 0 ? NEVER : sum;
    }
}
