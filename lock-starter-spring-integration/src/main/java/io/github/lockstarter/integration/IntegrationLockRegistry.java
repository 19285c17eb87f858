package io.github.lockstarter.integration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

/**
 * Adapts a {@link LockRegistry} to Spring Integration: leader election, aggregators, file handlers. Thread-safe.
 *
 * <p>Locks are owned by threads and reentrant. Unless a lock is acquired with a time to live, the watchdog renews it.
 * After a loss, locking again throws {@link io.github.lockstarter.LockLostException}, so that a leader resigns at its
 * next heartbeat, and the outermost {@code unlock()} throws {@link ConcurrentModificationException}, as with the other
 * registries of Spring Integration; the thread may lock again then. If the store does not answer, {@code lock()} and
 * {@code lockInterruptibly()} retry without limit, and the other methods throw {@link
 * io.github.lockstarter.LockStoreException} at the end of their wait. Conditions are not supported.
 *
 * <p>Keys are strings, or objects whose text is the same in every JVM. The name of the lock for key {@code k} is
 * {@code integration:k}; {@code getLock("integration:k").currentLease()} of the adapted registry has its fencing token.
 */
public final class IntegrationLockRegistry
        implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

    /** Default prefix of the names of locks, which is also the tag of all these locks in meters. */
    public static final String DEFAULT_PREFIX = "integration";

    private final LockRegistry registry;

    private final String prefix;

    /** Creates a registry whose locks have the names {@code integration:<key>}. */
    public IntegrationLockRegistry(LockRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Creates a registry whose locks have the names {@code <prefix>:<key>}.
     *
     * @param prefix not blank, without a colon, at most 128 characters
     */
    public IntegrationLockRegistry(LockRegistry registry, String prefix) {
        if (prefix.isBlank() || prefix.indexOf(':') >= 0 || prefix.length() > 128) {
            throw new IllegalArgumentException(Printable.of(
                    "The prefix of Spring Integration's locks must not be blank, contain a colon or be longer"
                            + " than 128 characters, but is '" + prefix + "'."));
        }
        this.registry = registry;
        this.prefix = prefix;
    }

    /**
     * Returns the lock for the key, without I/O. The object is a lightweight view; any number of them may exist for the
     * same lock.
     *
     * @throws IllegalArgumentException if the text of the key may differ between JVMs: arrays, collections, maps,
     *     {@code Date}, {@code Calendar}, objects that do not override {@code toString}, and records that contain such
     *     a value (lists and sorted sets of stable elements excepted)
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return lock(lockKey);
    }

    private IntegrationLock lock(Object lockKey) {
        return new IntegrationLock(this.registry.getLock(LockKeyName.of(this.prefix, lockKey)));
    }

    /**
     * Extends a fixed lease to one timeout of the watchdog from now. For a lease that the watchdog renews, only checks
     * the local state, without I/O.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lease was lost
     */
    @Override
    public void renewLock(Object lockKey) {
        lock(lockKey).renew();
    }

    /**
     * Extends the lease in the store to at least this time from now; it is never shortened.
     *
     * @param ttl at least 1 ms
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lease was lost, as it is known locally or as the store reports
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    /** Does nothing, because locks that are not held use no memory. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /** {@inheritDoc} If the body throws, a loss is added to its exception as suppressed. */
    @Override
    public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
            throws E, InterruptedException {
        executeLocked(lockKey, asCallable(runnable));
    }

    /** {@inheritDoc} If the body throws, a loss is added to its exception as suppressed. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, CheckedCallable<T, E> callable) throws E, InterruptedException {
        DistributedLock lock = obtain(lockKey);
        lock.lockInterruptibly();
        return callAndUnlock(lock, callable);
    }

    /** {@inheritDoc} If the body throws, a loss is added to its exception as suppressed. */
    @Override
    public <E extends Throwable> void executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
            throws E, InterruptedException, TimeoutException {
        executeLocked(lockKey, waitLockDuration, asCallable(runnable));
    }

    /** {@inheritDoc} If the body throws, a loss is added to its exception as suppressed. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedCallable<T, E> callable)
            throws E, InterruptedException, TimeoutException {
        DistributedLock lock = obtain(lockKey);
        if (!lock.tryLock(waitLockDuration.toMillis(), TimeUnit.MILLISECONDS)) {
            // The text of the lock contains the key only if keys may be logged.
            throw new TimeoutException(
                    Printable.of(lock + " was not granted within " + DurationText.of(waitLockDuration) + "."));
        }
        return callAndUnlock(lock, callable);
    }

    private static <T extends @Nullable Object, E extends Throwable> T callAndUnlock(
            DistributedLock lock, CheckedCallable<T, E> callable) throws E {
        T result;
        try {
            result = callable.call();
        } catch (Throwable ex) {
            try {
                lock.unlock();
            } catch (ConcurrentModificationException loss) {
                ex.addSuppressed(loss);
            }
            throw ex;
        }
        lock.unlock();
        return result;
    }

    private static <E extends Throwable> CheckedCallable<Boolean, E> asCallable(CheckedRunnable<E> body) {
        return () -> {
            body.run();
            return true;
        };
    }
}
