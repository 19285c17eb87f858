package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.GuardedLeases;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of a locked method that works in the calling thread: takes its locks one after the other, and goes on. */
final class LockedCall {

    private final LockRegistry registry;

    private final LockDefaults defaults;

    private final List<LockStep> steps;

    private final MethodInvocation invocation;

    private final long began = System.nanoTime();

    private int taken;

    LockedCall(LockRegistry registry, LockDefaults defaults, List<LockStep> steps, MethodInvocation invocation) {
        this.registry = registry;
        this.defaults = defaults;
        this.steps = steps;
        this.invocation = invocation;
    }

    /** Whether all locks were granted, so that the method was run; what is thrown then is the method's own. */
    boolean isStarted() {
        return this.taken == this.steps.size();
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.steps.get(this.taken);
    }

    @SuppressWarnings("NullAway") // it does not see that the type arguments are nullable
    @Nullable
    Object run() throws Exception {
        if (isStarted()) {
            return proceed();
        }
        LockStep step = current();
        LockRequest request =
                this.taken == 0 ? step.request() : step.after(System.nanoTime() - this.began, this.defaults.waitTime());
        return this.registry.<@Nullable Object>execute(request, lease -> {
            this.taken++;
            return under(lease, step);
        });
    }

    @SuppressWarnings("NullAway")
    private @Nullable Object under(Lease lease, LockStep step) throws Exception {
        boolean guarded = this.defaults.onLost(step.spec().onLost()) != OnLost.IGNORE;
        if (step.spec().keptForTransaction() && EnclosingTransaction.isActive()) {
            EnclosingTransaction.keep(this.registry, step.request(), lease, guarded);
        }
        if (!guarded) {
            return LeaseContext.<@Nullable Object>call(lease, current -> run());
        }
        GuardedLeases.add(lease);
        try {
            return LeaseContext.<@Nullable Object>call(lease, current -> run());
        } finally {
            GuardedLeases.remove(lease);
        }
    }

    private @Nullable Object proceed() throws Exception {
        try {
            return this.invocation.proceed();
        } catch (Throwable ex) {
            throw LockedCall.<RuntimeException>asItIs(ex);
        }
    }

    /** A callback may throw exceptions only, but what the method threw must arrive unwrapped, whatever it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> E asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
