package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One grant of a lock. Usable from any thread.
 *
 * <p>What it says about itself is local belief, without I/O: it says "held" only while the lease cannot yet have ended
 * in the store, counted from the moment the request was <em>sent</em>, on the monotonic and on the wall clock, less a
 * tenth as a margin. Belief is no proof for the future: code that is paused after a check can act after the lease has
 * ended. Give {@link #fencingToken()} to the resource and let it refuse smaller ones.
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
        /** Can no longer be relied on: see {@link Lease#lost()} for the reason. */
        LOST,
        /** Given back by its owner. */
        RELEASED
    }

    /** Full name of the lock: the static name, and {@code :key} where there is a key. */
    String name();

    /**
     * Token of this grant: larger than that of every grant of this lock before it, and the same for nested holds.
     * Positive. Never 0.
     */
    long fencingToken();

    /** Local belief, no I/O. */
    State state();

    /** Whether the lease is {@code HELD} or {@code AT_RISK}. Local belief, no I/O, constant time. */
    boolean isHeld();

    /** Time until the lease ends by local belief unless it is renewed; zero when it is not held. No I/O. */
    Duration remaining();

    /**
     * Checks the local belief.
     *
     * @throws LockLostException if the lease is lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Checks that the lease lasts for at least that long even if no renewal succeeds any more.
     *
     * @throws LockLostException if the lease is lost or has less time left
     * @throws IllegalStateException if it was released
     */
    void ensureHeld(Duration atLeast);

    /**
     * Completes once, when the lease is lost, with the reason; never on an ordinary release. Dependent stages run on a
     * pool of the library, which they should not occupy for long.
     */
    CompletionStage<LossReason> lost();

    /**
     * Makes the lease last at least that long from now; what is left is never shortened. It always asks the store, and so
     * tells as well whether the lock is still ours there. A lease that the watchdog renews goes on being renewed; a cap of
     * its renewal does not limit this. The call cannot be interrupted and keeps the interrupt flag.
     *
     * @param atLeast at least 1 ms
     * @throws LockLostException if the lease is lost, as far as we know or as the store says
     * @throws LockStoreException if the store did not answer; the lease goes on as it was, and may last longer in the store
     * @throws IllegalStateException if it was released
     */
    void extend(Duration atLeast);

    /**
     * Gives the lock back. Idempotent. The call cannot be interrupted and keeps the interrupt flag. If the store does not
     * answer, the release goes on in the background, at worst until the key has run out.
     *
     * @return true if the lock was ours until now; false if the lease was lost, now or before
     */
    boolean release();

    /**
     * As {@link #release()}, but the lock stays taken for that long from now and is handed to nobody; if the request has a
     * minimum hold that ends later, until then.
     *
     * @param delay zero: free at once
     * @return true if the lock was ours until now; false if the lease was lost, now or before
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
     */
    CompletionStage<Boolean> releaseAsync(Duration delay);

    /** {@link #release()}; never throws {@link LockLostException}. */
    @Override
    void close();
}
