package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One grant of a lock. Thread-safe.
 *
 * <p>Its state is local knowledge, without I/O: the lease is "held" only while it cannot yet have ended in the store,
 * counted from the moment the request was <em>sent</em>, on the monotonic and on the wall clock, less a tenth as a margin.
 * This does not guarantee anything for the future: code that is paused after a check can act after the lease has ended.
 * Pass {@link #fencingToken()} to the resource and let it refuse smaller ones.
 *
 * <p>Applications do not implement this interface, except in tests. None of its operations that decide over a lock has a
 * default implementation.
 *
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
public interface Lease extends AutoCloseable {

    /** State of a lease; {@code LOST} and {@code RELEASED} are final. */
    enum State {
        /** Held, and the last renewal, if any was due, succeeded in time. */
        HELD,
        /** Still held, but a renewal failed or is late; it is retried until the local deadline. */
        AT_RISK,
        /** No longer valid: see {@link Lease#lost()} for the reason. */
        LOST,
        /** Released by its owner. */
        RELEASED
    }

    /** Returns the full name of the lock: the static name, and {@code :key} where there is a key. */
    String name();

    /**
     * Returns the token of this grant: larger than that of every grant of this lock before it, and the same for nested
     * holds. Always positive, and below 2<sup>53</sup>.
     */
    long fencingToken();

    /** Returns the state, as far as it is known here. No I/O. */
    State state();

    /** Returns whether the lease is {@code HELD} or {@code AT_RISK}, as far as it is known here. No I/O, constant time. */
    boolean isHeld();

    /** Returns the time until the lease ends unless it is renewed, less the margin; zero when it is not held. No I/O. */
    Duration remaining();

    /**
     * Checks that the lease is held, as far as it is known here. No I/O.
     *
     * @throws LockLostException if the lease is lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Checks that the lease lasts for at least that long even if no further renewal succeeds. No I/O.
     *
     * @param atLeast the time that is needed; zero or less: as {@link #ensureHeld()}
     * @throws LockLostException if the lease is lost or has less time left
     * @throws IllegalStateException if it was released
     */
    void ensureHeld(Duration atLeast);

    /**
     * Returns a stage that is completed once, when the lease is lost, with the reason; never on an ordinary release.
     * Dependent stages run on a pool of the library and should not occupy it for long.
     */
    CompletionStage<LossReason> lost();

    /**
     * Makes the lease last at least that long from now; what is left is never shortened. Each call sends a command to the
     * store, and so also checks whether the lock is still owned there. A lease that the watchdog renews is renewed as
     * before; the cap of its renewal does not limit this. The call cannot be interrupted and keeps the interrupt flag.
     *
     * @param atLeast at least 1 ms
     * @throws LockLostException if the lease is lost, as far as it is known here or as the store reports
     * @throws LockStoreException if the store did not answer; the lease is unchanged here, and may last longer in the store
     * @throws IllegalStateException if it was released
     * @throws IllegalArgumentException if the time is out of range
     */
    void extend(Duration atLeast);

    /**
     * Releases the lock. Idempotent. The call waits for the store, for one command timeout at most, cannot be interrupted
     * and keeps the interrupt flag. If the store does not answer, the release is retried in the background, at worst until
     * the key has expired. With {@code distributed-lock.release=background} the call does not wait, and a loss that the
     * store would report is not known to it.
     *
     * @return true if the lock was held until now; false if the lease was lost, now or before
     */
    boolean release();

    /**
     * Releases the lease as {@link #release()} does, but keeps the lock taken for that long from now, without an owner; if
     * the request has a minimum hold that ends later, until then.
     *
     * @param delay zero: free at once
     * @return true if the lock was held until now; false if the lease was lost, now or before
     * @throws IllegalArgumentException if the delay is negative or longer than ten years
     */
    boolean releaseAfter(Duration delay);

    /**
     * Releases as {@link #release()} does, without waiting for the store: for code that must not block, such as a callback
     * of a client library or a reactive pipeline. The lease is no longer held when the method returns; the lock is free
     * when the stage is complete, or, if the store does not answer, when the background release has succeeded or the key
     * has expired.
     *
     * @return completed on a thread of the library with what {@link #release()} would return; never exceptionally
     */
    default CompletionStage<Boolean> releaseAsync() {
        return releaseAsync(Duration.ZERO);
    }

    /**
     * Releases as {@link #releaseAfter} does, without waiting for the store.
     *
     * @param delay how long the lock stays taken from now on; zero: free at once
     * @return as {@link #releaseAsync()}
     * @throws IllegalArgumentException if the delay is negative or longer than ten years
     */
    CompletionStage<Boolean> releaseAsync(Duration delay);

    /** Releases the lease as {@link #release()} does. Never throws {@link LockLostException}. */
    @Override
    void close();
}
