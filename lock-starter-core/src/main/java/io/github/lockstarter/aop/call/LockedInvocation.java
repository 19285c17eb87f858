package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.metadata.LockedMethod;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * A call of a locked method and the locks that it acquires one after the other. All of them have one deadline: the time
 * that the call waits for a lock counts towards the wait times of the others. Points in time are values of
 * {@link System#nanoTime()}.
 *
 * @param method the method that is called
 * @param locks in the order in which they are acquired; empty if no condition is met
 * @param invocation continues with the method
 * @param registry grants the locks
 * @param defaults applies where an annotation does not specify a value
 */
record LockedInvocation(
        LockedMethod method,
        List<RequestedLock> locks,
        MethodInvocation invocation,
        LockRegistry registry,
        LockDefaults defaults) {

    /** Returns whether the call acquires any lock. */
    boolean isLocked() {
        return !this.locks.isEmpty();
    }

    /**
     * Returns the request for one of the locks.
     *
     * @param startNanos when the call requested its first lock
     * @throws LockStoreException if the answers for the locks before it were so slow that the deadline and one command
     *     timeout have passed
     */
    LockRequest request(int index, long startNanos) {
        RequestedLock lock = this.locks.get(index);
        if (index == 0) {
            return lock.request();
        }
        if (graceNanos(index, startNanos) <= 0) {
            throw tooSlow(lock, index);
        }
        return lock.afterWaiting(System.nanoTime() - startNanos, this.defaults.waitTime());
    }

    private LockStoreException tooSlow(RequestedLock lock, int granted) {
        return new LockStoreException(
                "Lock '" + this.defaults.names().of(lock.request().lockName())
                        + "' was not requested: the wait time of "
                        + lock.waitTime(this.defaults.waitTime()).toMillis() + " ms and the command timeout of "
                        + this.defaults.commandTimeout().toMillis() + " ms had passed when the call had been granted "
                        + granted + " of its " + this.locks.size()
                        + " locks. The store answers too slowly for so many locks. Increase the wait time, or use one lock"
                        + " for all of them.",
                null,
                false,
                true);
    }

    /**
     * Returns the request for one of several locks, without its minimum hold: until all locks are granted and the
     * method begins, each must be available to others immediately after its release.
     */
    LockRequest requestWithoutMinHold(int index, long startNanos) {
        LockRequest request = request(index, startNanos);
        return request.minHold().isZero() ? request : request.withMinHold(Duration.ZERO);
    }

    /**
     * Returns the nanoseconds until the lock's deadline and one command timeout, in which the last answer may arrive.
     */
    private long graceNanos(int index, long startNanos) {
        Duration waitTime = this.locks.get(index).waitTime(this.defaults.waitTime());
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.defaults.commandTimeout().toNanos();
        }
        return waitTime.plus(this.defaults.commandTimeout()).toNanos() - (System.nanoTime() - startNanos);
    }

    /**
     * Waits for the release of the locks that were granted before one was not, at most as long as the call could have
     * waited for that one.
     *
     * @param failed the index of the lock that was not granted
     */
    void awaitRelease(CompletableFuture<?> released, Throwable failure, int failed, long startNanos) {
        long nanos = releaseWaitNanos(failure, failed, startNanos);
        if (nanos > 0) {
            released.<@Nullable Object>handle((result, ex) -> null)
                    .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
                    .join();
        }
    }

    /** Returns how long {@link #awaitRelease} waits; zero or less if the store has just failed to answer. */
    long releaseWaitNanos(Throwable failure, int failed, long startNanos) {
        return failure instanceof LockStoreException ? 0 : graceNanos(failed, startNanos);
    }

    /**
     * Throws LockLostException if a lock was lost while the call waited for the others, except with {@link
     * OnLost#IGNORE}.
     */
    void ensureHeld(List<Lease> leases) {
        for (int i = 0; i < leases.size(); i++) {
            if (isGuarded(this.locks.get(i))) {
                leases.get(i).ensureHeld();
            }
        }
    }

    /** Returns whether the loss of the lock is reported to the caller and prevents the commit of transactions. */
    boolean isGuarded(RequestedLock lock) {
        return onLost(lock) != OnLost.IGNORE;
    }

    /** Returns the reaction to the loss of the lock. */
    OnLost onLost(RequestedLock lock) {
        return this.defaults.onLost(lock.spec().onLost());
    }

    /** Returns an invocation that can proceed once more; that of a proxy can do so only once. */
    MethodInvocation repeatable() {
        return this.invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : this.invocation;
    }

    /** As {@link #repeatable()}, of a proxy, with other arguments. */
    MethodInvocation repeatable(@Nullable Object[] arguments) {
        return ((ProxyMethodInvocation) this.invocation).invocableClone(arguments);
    }
}
