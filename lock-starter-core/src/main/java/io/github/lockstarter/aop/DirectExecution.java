package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.tx.GuardedLeases;
import io.github.lockstarter.tx.LockSequence;
import io.github.lockstarter.tx.NestedLocks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a method whose work ends when it returns. Used by one thread. */
final class DirectExecution {

    private final LockedInvocation call;

    private final LockSequence sequence;

    DirectExecution(LockedInvocation call) {
        this.call = call;
        this.sequence = call.sequence();
    }

    /** Acquires the locks of the call, runs the method and releases them. */
    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    @Nullable
    Object run() throws Throwable {
        NestedLocks<@Nullable Object, Throwable> locks =
                new NestedLocks<>(this.call.registry(), this.sequence, this::runMethod);
        try {
            return locks.run();
        } catch (LockNotGrantedException ex) {
            // After the method was started, the exception is the method's own.
            if (locks.areAllGranted()) {
                throw ex;
            }
            return AcquisitionFailures.notGranted(this.call, this.call.locks().get(locks.granted()), ex);
        } catch (LockInterruptedException ex) {
            if (locks.areAllGranted()) {
                throw ex;
            }
            throw AcquisitionFailures.interrupted(this.call, this.call.locks().get(locks.granted()), ex);
        }
    }

    @SuppressWarnings("NullAway")
    private @Nullable Object runMethod(List<Lease> leases) throws Throwable {
        for (int i = 0; i < leases.size(); i++) {
            if (this.sequence.isGuarded(i)) {
                GuardedLeases.add(leases.get(i));
            }
        }
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(
                    leases.get(leases.size() - 1),
                    current -> this.call.invocation().proceed());
        } finally {
            // Has no effect for leases that were not added.
            leases.forEach(GuardedLeases::remove);
        }
    }
}
