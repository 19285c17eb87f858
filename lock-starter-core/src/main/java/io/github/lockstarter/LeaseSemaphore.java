package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A distributed semaphore: all holders in all JVMs have at most a number of permits. Permits are granted first come,
 * first served, as a {@link Lease} with a watchdog, a token and a notification of its loss. They are returned when the
 * lease is released, or when it expires after a crash. Leases belong to no thread, and are not reentrant. Thread-safe.
 *
 * <p>The number of permits belongs to this object and is not stored: nothing has to be set up or removed, and instances
 * with different numbers, as in a rolling deployment, each apply their own. A name must not be used for a semaphore and
 * for a lock at the same time; the second use is rejected with a {@link LockStoreException}.
 *
 * <p>A semaphore limits how much runs at the same time. It is not a rate limiter: for a number of calls per second use
 * a library such as Bucket4j.
 */
public interface LeaseSemaphore {

    /** Returns the full name of the semaphore. */
    String name();

    /** Returns the number of permits that all holders may have together. */
    int permits();

    /** Acquires one permit, as {@link #acquire(int)} does. */
    default Lease acquire() throws InterruptedException {
        return acquire(1);
    }

    /**
     * Acquires permits with a lease that the watchdog renews, unless {@code distributed-lock.locks.<name>.lease} sets a
     * fixed one, and waits up to {@code distributed-lock.wait-time}.
     *
     * @param weight number of permits, at least 1 and at most {@link #permits()}
     * @throws LockNotGrantedException if they were not available until the end of the wait
     * @throws LockStoreException if the store does not answer
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     * @throws IllegalArgumentException if the weight is out of range
     */
    Lease acquire(int weight) throws InterruptedException;

    /** Acquires one permit without waiting, or returns empty if none is available. */
    default Optional<Lease> tryAcquire() throws InterruptedException {
        return tryAcquire(1, Duration.ZERO);
    }

    /** Acquires one permit and waits up to {@code waitTime}, or returns empty if none was available until then. */
    default Optional<Lease> tryAcquire(Duration waitTime) throws InterruptedException {
        return tryAcquire(1, waitTime);
    }

    /**
     * Acquires permits with the same kind of lease as {@link #acquire(int)}.
     *
     * @param weight as for {@link #acquire(int)}
     * @param waitTime zero: one attempt; {@link LockRequest#FOREVER}: no limit
     * @return empty if they were not available until the end of the wait, or too many callers of this instance wait
     * @throws LockStoreException if the store does not answer
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     * @throws IllegalArgumentException if a value is out of range
     */
    Optional<Lease> tryAcquire(int weight, Duration waitTime) throws InterruptedException;

    /**
     * Acquires permits with a fixed lease that is never renewed.
     *
     * @param weight as for {@link #acquire(int)}
     * @param waitTime as for {@link #tryAcquire(int, Duration)}
     * @param lease at least 1 ms; {@code Duration.ofMillis(-1)}: renewed by the watchdog
     * @return empty if they were not available until the end of the wait, or too many callers of this instance wait
     */
    Optional<Lease> tryAcquire(int weight, Duration waitTime, Duration lease) throws InterruptedException;

    /** Acquires one permit without blocking a thread, as {@link #acquireAsync(int)}. */
    default CompletionStage<Lease> acquireAsync() {
        return acquireAsync(1);
    }

    /** Acquires permits without blocking a thread, as {@link LockRegistry#acquireAsync} does. */
    CompletionStage<Lease> acquireAsync(int weight);

    /**
     * Returns how many permits of {@link #permits()} are not held, as the store reports; zero if more are held. The
     * result may be outdated on return, and waiters have precedence.
     *
     * @throws LockStoreException if the store does not answer
     */
    int availablePermits();
}
