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
 * The locks of a {@link LockRegistry} for Spring Integration: leader election, aggregators, file handlers. Thread-safe.
 *
 * <p>A lock belongs to the thread that locks it and is reentrant. Unless it is locked with a time to live, the watchdog
 * renews it. When its lease is lost, locking it again fails with {@link io.github.lockstarter.LockLostException}, which
 * costs a leader its leadership at its next heartbeat, and the outermost {@code unlock()} fails with a
 * {@link ConcurrentModificationException}, as with the other registries of Spring Integration; the thread is free to lock
 * again. When the store does not answer, {@code lock()} and {@code lockInterruptibly()} go on trying, and the others throw
 * {@link io.github.lockstarter.LockStoreException} at the end of their wait. There are no conditions.
 *
 * <p>Keys are strings, or objects whose text is the same in every JVM. The lock of key {@code k} is called
 * {@code integration:k}, and {@code getLock("integration:k").currentLease()} of the other registry has its fencing token.
 */
public final class IntegrationLockRegistry
        implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

    /** Stands before keys, and is the tag of all these locks in meters, unless another prefix is given. */
    public static final String DEFAULT_PREFIX = "integration";

    private final LockRegistry registry;

    private final String prefix;

    /** Locks called {@code integration:<key>}. */
    public IntegrationLockRegistry(LockRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Locks called {@code <prefix>:<key>}.
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
     * The lock of that key, without I/O. The object is a light view; any number of them may stand for the same lock.
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
     * Makes the lease last for one timeout of the watchdog from now, if it is fixed. A lease that the watchdog renews
     * costs nothing here but a look at the local belief.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lease is lost
     */
    @Override
    public void renewLock(Object lockKey) {
        lock(lockKey).renew();
    }

    /**
     * Makes the lease last at least that long from now, and asks the store for it; nothing is ever shortened.
     *
     * @param ttl at least 1 ms
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws IllegalStateException if the lease is lost, as far as we know or as the store says
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    /** Nothing to do: a lock that is not held takes up no memory here. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /** {@inheritDoc} An exception of the body is never hidden by a loss. */
    @Override
    public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
            throws E, InterruptedException {
        executeLocked(lockKey, asCallable(runnable));
    }

    /** {@inheritDoc} An exception of the body is never hidden by a loss. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, CheckedCallable<T, E> callable) throws E, InterruptedException {
        DistributedLock lock = obtain(lockKey);
        lock.lockInterruptibly();
        return callAndUnlock(lock, callable);
    }

    /** {@inheritDoc} An exception of the body is never hidden by a loss. */
    @Override
    public <E extends Throwable> void executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
            throws E, InterruptedException, TimeoutException {
        executeLocked(lockKey, waitLockDuration, asCallable(runnable));
    }

    /** {@inheritDoc} An exception of the body is never hidden by a loss. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedCallable<T, E> callable)
            throws E, InterruptedException, TimeoutException {
        DistributedLock lock = obtain(lockKey);
        if (!lock.tryLock(waitLockDuration.toMillis(), TimeUnit.MILLISECONDS)) {
            // The text of the lock has the key only if keys are to be logged.
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
