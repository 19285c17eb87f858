package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** A call of a locked method: which locks it takes, one after the other, and what it does under them. */
record LockedInvocation(
        LockRegistry registry, LockDefaults defaults, List<LockStep> steps, MethodInvocation invocation) {

    /** The request of that step, the first of which was begun at the time: all locks of a call have one deadline. */
    LockRequest request(int step, long began) {
        LockStep wanted = this.steps.get(step);
        return step == 0 ? wanted.request() : wanted.after(System.nanoTime() - began, this.defaults.waitTime());
    }

    /**
     * As {@link #request}, but free at once when it is given back: of several locks a later one may be refused, and the
     * method has to begin before anything need be kept after it.
     */
    LockRequest tentative(int step, long began) {
        LockRequest request = request(step, began);
        return request.minHold().isZero() ? request : request.withMinHold(Duration.ZERO);
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

    /** Calls the method. A callback may throw exceptions only, but what it throws arrives unwrapped, whatever it is. */
    @Nullable
    Object proceed() throws Exception {
        try {
            return this.invocation.proceed();
        } catch (Throwable ex) {
            throw LockedInvocation.<RuntimeException>asItIs(ex);
        }
    }

    /** The same call once more: an invocation can go on only once. */
    LockedInvocation again() {
        return this.invocation instanceof ProxyMethodInvocation proxied
                ? new LockedInvocation(this.registry, this.defaults, this.steps, proxied.invocableClone())
                : this;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
