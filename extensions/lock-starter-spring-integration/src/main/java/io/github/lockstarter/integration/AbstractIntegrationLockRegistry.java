package io.github.lockstarter.integration;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

/**
 * What the registries for Spring Integration 6 and 7 have in common: everything but the type of the locks.
 *
 * @param <L> type of the locks
 */
abstract class AbstractIntegrationLockRegistry<L extends Lock>
        implements RenewableLockRegistry<L>, ExpirableLockRegistry<L> {

    /** Default prefix of the names of locks, which is also the tag of all these locks in meters. */
    public static final String DEFAULT_PREFIX = "integration";

    private final LockRegistry registry;

    private final String prefix;

    AbstractIntegrationLockRegistry(LockRegistry registry, String prefix) {
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
    public L obtain(Object lockKey) {
        return adapt(lock(lockKey));
    }

    /** Returns the lock with the type that the version of Spring Integration requires. */
    abstract L adapt(LeaseLock lock);

    private LeaseLock lock(Object lockKey) {
        return this.registry.getLock(LockKeyName.of(this.prefix, lockKey));
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
        new IntegrationLock(lock(lockKey)).renew();
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
        new IntegrationLock(lock(lockKey)).renew(ttl);
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
        Lock lock = obtain(lockKey);
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
        Lock lock = obtain(lockKey);
        if (!lock.tryLock(waitLockDuration.toMillis(), TimeUnit.MILLISECONDS)) {
            // The text of the lock contains the key only if keys may be logged.
            throw new TimeoutException(
                    Printable.of(lock + " was not granted within " + Printable.duration(waitLockDuration) + "."));
        }
        return callAndUnlock(lock, callable);
    }

    private static <T extends @Nullable Object, E extends Throwable> T callAndUnlock(
            Lock lock, CheckedCallable<T, E> callable) throws E {
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
