package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** A call of a locked method: which locks it takes, one after the other, and what it does under them. */
record LockedInvocation(
        LockRegistry registry, LockDefaults defaults, List<LockStep> steps, MethodInvocation invocation) {

    /** Whether the call takes any lock; false if none of the conditions is met. */
    boolean isLocked() {
        return !this.steps.isEmpty();
    }

    /**
     * The request of that step, the first of which was begun at the time: all locks of a call have one deadline.
     *
     * @throws LockStoreException if the store was so slow to answer for the locks before it that the call is already late
     */
    LockRequest request(int step, long began) {
        LockStep wanted = this.steps.get(step);
        if (step == 0) {
            return wanted.request();
        }
        if (graceNanos(step, began) <= 0) {
            throw new LockStoreException(
                    "Lock '" + this.defaults.names().of(wanted.request().lockName())
                            + "' was not asked for: its wait of "
                            + wanted.waitTime(this.defaults.waitTime()).toMillis()
                            + " ms and the command timeout of "
                            + this.defaults.commandTimeout().toMillis()
                            + " ms were over when the call had been granted " + step + " of its "
                            + this.steps.size() + " locks. The store answers too slowly for so many locks one after the"
                            + " other; allow a longer wait, or lock what they have in common.",
                    null,
                    false,
                    true);
        }
        return wanted.after(System.nanoTime() - began, this.defaults.waitTime());
    }

    /** Nanoseconds until the deadline of that step and one command timeout, in which the last question is answered. */
    long graceNanos(int step, long began) {
        Duration waitTime = this.steps.get(step).waitTime(this.defaults.waitTime());
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.defaults.commandTimeout().toNanos();
        }
        return waitTime.plus(this.defaults.commandTimeout()).toNanos() - (System.nanoTime() - began);
    }

    /**
     * As {@link #request}, but free at once when it is given back: of several locks a later one may be refused, and the
     * method has to begin before anything need be kept after it.
     */
    LockRequest tentative(int step, long began) {
        LockRequest request = request(step, began);
        return request.minHold().isZero() ? request : request.withMinHold(Duration.ZERO);
    }

    /**
     * Waits until the locks of a call that was refused are free again, but no longer than for the refusal itself.
     *
     * @param refused the step whose lock was not granted
     */
    void awaitTakenBack(CompletableFuture<?> released, Throwable failure, int refused, long began) {
        long nanos = takeBackNanos(failure, refused, began);
        if (nanos > 0) {
            released.<@Nullable Object>handle((answer, trouble) -> null)
                    .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
                    .join();
        }
    }

    /** Nanoseconds for that; zero or less: a store that has just failed to answer is not waited for again. */
    long takeBackNanos(Throwable failure, int refused, long began) {
        return failure instanceof LockStoreException ? 0 : graceNanos(refused, began);
    }

    /** How long that lock is to stay taken when the method, which began at the time, is done; zero: no longer. */
    static Duration toKeep(LockStep step, long began) {
        Duration minHold = step.request().minHold();
        Duration left = minHold.isZero() ? minHold : minHold.minusNanos(System.nanoTime() - began);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Throws if one was lost while the call waited for the others, unless its owner does not want to hear of that. */
    void ensureHeld(List<Lease> leases) {
        for (int i = 0; i < leases.size(); i++) {
            if (isGuarded(this.steps.get(i))) {
                leases.get(i).ensureHeld();
            }
        }
    }

    /** Whether the owner wants to hear of a loss of that step's lock, and nothing may be committed after it. */
    boolean isGuarded(LockStep step) {
        return onLost(step) != OnLost.IGNORE;
    }

    /** What the owner hears of a loss of that step's lock. */
    OnLost onLost(LockStep step) {
        return this.defaults.onLost(step.spec().onLost());
    }

    /** Calls the method. */
    @Nullable
    Object proceed() throws Throwable {
        return this.invocation.proceed();
    }

    /** The same call once more: an invocation can go on only once. */
    LockedInvocation again() {
        return this.invocation instanceof ProxyMethodInvocation proxied
                ? new LockedInvocation(this.registry, this.defaults, this.steps, proxied.invocableClone())
                : this;
    }
}
