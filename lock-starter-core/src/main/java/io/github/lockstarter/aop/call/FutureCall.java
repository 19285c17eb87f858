package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.tx.GuardedLeases;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method that returns a future. The calling thread waits for the locks and runs the method, as
 * without a future; the leases belong to no thread and end when the future does, in whatever thread that is.
 */
final class FutureCall {

    private final LockedInvocation call;

    private final HeldLeases held;

    FutureCall(LockedInvocation call) {
        this.call = call;
        this.held = new HeldLeases(call);
    }

    boolean isStarted() {
        return this.held.isStarted();
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.held.current();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets the future
    @Nullable
    Object run() throws Throwable {
        Object returned;
        try {
            acquire();
            this.held.start();
            returned = proceed();
            if (returned instanceof CompletionStage<?> stage) {
                return new HeldFuture<>(stage, this.held::release);
            }
        } catch (Throwable ex) {
            this.held.releaseAfter(ex);
            throw ex;
        }
        LockLostException loss = this.held.release().join();
        if (loss != null) {
            throw loss;
        }
        return returned;
    }

    private void acquire() throws InterruptedException {
        while (this.held.count() < this.call.steps().size()) {
            this.held.add(this.call.registry().acquire(this.held.nextRequest()));
        }
    }

    /** Transactions that the method commits before it returns count on the locks as well. */
    @SuppressWarnings("NullAway") // it does not see that the type argument is nullable
    private @Nullable Object proceed() throws Throwable {
        List<Lease> guarded = this.held.guarded();
        guarded.forEach(GuardedLeases::add);
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(this.held.innermost(), lease -> this.call.proceed());
        } finally {
            guarded.forEach(GuardedLeases::remove);
        }
    }
}
