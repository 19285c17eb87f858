package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One grant of a lock. Thread-safe.
 *
 * <p>The state is local knowledge, without I/O: a lease counts as held only while it cannot have expired in the store.
 * Its time is counted from when the request was <em>sent</em>, on the monotonic and on the wall clock, less a margin of
 * a tenth. A check does not guarantee that the lease is still held afterwards: code that is paused after a check can
 * act when the lease has expired. Pass {@link #fencingToken()} to the resource and let the resource reject smaller
 * tokens.
 *
 * <p>Applications implement this interface only in tests.
 *
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
public interface Lease extends AutoCloseable {

    /** States of a lease; {@code LOST} and {@code RELEASED} are final. */
    enum State {
        /** Held; the last renewal that was due, if any, succeeded in time. */
        HELD,
        /** Still held, but a renewal failed or is late; it is retried until the lease expires. */
        AT_RISK,
        /** No longer held; {@link Lease#lost()} has the reason. */
        LOST,
        /** Released by its owner. */
        RELEASED
    }

    /** Returns the full name of the lock: the static name, followed by {@code :key} if there is a key. */
    String name();

    /**
     * Returns the token of this grant, which is larger than the tokens of all earlier grants of this lock, and the same
     * for nested holds. Readers may share one token. A permit that is handed over in memory keeps its token. A writer
     * that becomes a reader keeps its token, and readers that join it share this token. The token is always positive
     * and below 2<sup>53</sup>.
     */
    long fencingToken();

    /** Returns the state according to local knowledge. No I/O. */
    State state();

    /**
     * Returns whether the lease is {@code HELD} or {@code AT_RISK} according to local knowledge. No I/O, constant time.
     */
    boolean isHeld();

    /**
     * Returns the time until the lease expires unless it is renewed, less the margin; zero if it is not held. No I/O.
     *
     * <p>After another instance has handed the lock over, this time is shorter than a full lease until the store has
     * replied to the first renewal.
     */
    Duration remaining();

    /**
     * Checks that the lease is held according to local knowledge. No I/O.
     *
     * @throws LockLostException if the lease was lost
     * @throws IllegalStateException if the lease was released
     */
    void ensureHeld();

    /**
     * Checks that the lease lasts for at least that long even if no further renewal succeeds. No I/O, except if the
     * lock has just been handed over by another instance and its full lease is not confirmed yet: then it is renewed
     * first, which blocks for at most two command timeouts.
     *
     * @param atLeast the required time; with zero or less, the check is the same as {@link #ensureHeld()}
     * @throws LockLostException if the lease was lost or less time remains
     * @throws IllegalStateException if the lease was released
     */
    void ensureHeld(Duration atLeast);

    /**
     * Returns a stage that is completed with the reason when the lease is lost, and never completed if the lease is
     * released before that. Dependent stages run on a thread pool of the library and should not block it.
     */
    CompletionStage<LossReason> lost();

    /**
     * Returns whether the owner was asked to release this lease, by {@link LockRegistry#requestRelease} or the actuator
     * endpoint of any instance, while it holds it. Work that takes long can check this between two steps, save what it
     * has done, and return. No I/O, constant time.
     *
     * <p>A request is a message: it can be lost, and any client that may publish to the channels of the locks can send
     * one. Nothing but this information changes: the lease is renewed as before, and the owner decides.
     */
    boolean isReleaseRequested();

    /**
     * Returns a stage that is completed with {@code null} when the owner is asked to release this lease, and never
     * completed if the lease ends before that. Dependent stages run on a thread pool of the library and should not block
     * it.
     */
    CompletionStage<@Nullable Void> releaseRequested();

    /**
     * Extends the lease so that it lasts at least this long from now; it is never shortened. Each call sends a command
     * to the store, and therefore also checks whether the lock is still owned there. The watchdog renews a renewed
     * lease as before, and {@code maxHold} does not limit this method. The call cannot be interrupted and preserves the
     * interrupt flag.
     *
     * @param atLeast at least 1 ms and at most ten years
     * @throws LockLostException if the lease was lost, according to local knowledge or to the store
     * @throws LockStoreException if the store does not answer; the lease is unchanged locally, and may last longer in
     *     the store
     * @throws IllegalStateException if the lease was released
     * @throws IllegalArgumentException if the time is out of range
     */
    void extend(Duration atLeast);

    /**
     * Releases the lock. Idempotent. The call waits for the store for at most one command timeout, cannot be
     * interrupted and preserves the interrupt flag. If the store does not answer, the release is retried in the
     * background until the key expires. With {@code distributed-lock.release=background} the call does not wait, and
     * cannot report a loss that is only recorded in the store.
     *
     * @return true if the lock was held until its release; false if the lease was lost before that
     */
    boolean release();

    /**
     * Releases the lease as {@link #release()} does, but keeps the lock taken without an owner for this long from now,
     * or until the end of the request's minimum hold if that is later.
     *
     * @param delay time for which the lock stays taken from now on; with zero, the lock is free immediately
     * @return true if the lock was held until its release; false if the lease was lost before that
     * @throws IllegalArgumentException if the delay is negative or longer than ten years
     */
    boolean releaseAfter(Duration delay);

    /**
     * Releases the lease as {@link #release()} does, without waiting for the store. It is intended for code that must
     * not block, such as a callback of a client library or a reactive pipeline. The lease is no longer held when the
     * method returns. The lock is free when the stage is complete, or, if the store does not answer, when a retry in
     * the background has succeeded or the key has expired.
     *
     * @return a stage that is completed on a thread of the library with the result of {@link #release()}, and never
     *     exceptionally
     */
    default CompletionStage<Boolean> releaseAsync() {
        return releaseAsync(Duration.ZERO);
    }

    /**
     * Releases the lease as {@link #releaseAfter} does, without waiting for the store.
     *
     * @param delay time for which the lock stays taken from now on; with zero, the lock is free immediately
     * @return a stage as described at {@link #releaseAsync()}
     * @throws IllegalArgumentException if the delay is negative or longer than ten years
     */
    CompletionStage<Boolean> releaseAsync(Duration delay);

    /** Releases the lease as {@link #release()} does. Does not report a loss. */
    @Override
    default void close() {
        release();
    }
}
