package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.GuardedLeases;
import org.jspecify.annotations.Nullable;

/** One call of a locked method that works in the calling thread: takes its locks one after the other, and goes on. */
final class LockedCall {

    private final LockedInvocation call;

    private final long began = System.nanoTime();

    private int taken;

    LockedCall(LockedInvocation call) {
        this.call = call;
    }

    /** Whether all locks were granted, so that the method was run; what is thrown then is the method's own. */
    boolean isStarted() {
        return this.taken == this.call.steps().size();
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.call.steps().get(this.taken);
    }

    @SuppressWarnings("NullAway") // it does not see that the type arguments are nullable
    @Nullable
    Object run() throws Exception {
        if (isStarted()) {
            return this.call.proceed();
        }
        LockStep step = current();
        LockRequest request = this.call.request(this.taken, this.began);
        return this.call.registry().<@Nullable Object>execute(request, lease -> {
            this.taken++;
            return under(lease, step);
        });
    }

    @SuppressWarnings("NullAway")
    private @Nullable Object under(Lease lease, LockStep step) throws Exception {
        boolean guarded = this.call.onLost(step) != OnLost.IGNORE;
        if (step.spec().keptForTransaction() && EnclosingTransaction.isActive()) {
            EnclosingTransaction.keep(this.call.registry(), step.request().lockName(), lease, guarded);
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
}
