package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.tx.GuardedLeases;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method that returns a future. The calling thread waits for the locks and runs the method. The leases belong to
 * no thread and are released when the future is complete, by the thread that completes it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // futures are returned to the caller
final class FutureExecution {

    private final LockedInvocation call;

    private final HeldLeases held;

    FutureExecution(LockedInvocation call) {
        this.call = call;
        this.held = new HeldLeases(call);
    }

    /** Returns the method's result; a failure before the method was started is reported by a future, like its own. */
    @Nullable
    Object run() throws Throwable {
        try {
            return runUnderLocks();
        } catch (LockException ex) {
            if (this.held.isStarted()) {
                throw ex;
            }
            return ex instanceof LockNotGrantedException failure
                    ? notGranted(failure)
                    : CompletableFuture.failedFuture(ex);
        } catch (InterruptedException ex) {
            if (this.held.isStarted()) {
                throw ex;
            }
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(AcquisitionFailures.unchecked(
                    this.call,
                    this.held.nextLock(),
                    ex,
                    "The calling thread waits for the lock of a future; LockRegistry.acquireAsync waits without a"
                            + " thread."));
        }
    }

    private @Nullable Object runUnderLocks() throws Throwable {
        Object returned;
        try {
            acquire();
            this.held.start();
            returned = runMethod();
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
        while (this.held.count() < this.call.locks().size()) {
            this.held.add(this.call.registry().acquire(this.held.nextRequest()));
        }
    }

    /** Transactions that the method commits before it returns depend on the locks, too. */
    @SuppressWarnings("NullAway") // does not recognize the nullable type argument
    private @Nullable Object runMethod() throws Throwable {
        List<Lease> guarded = this.held.guarded();
        guarded.forEach(GuardedLeases::add);
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(
                    this.held.innermost(), lease -> this.call.invocation().proceed());
        } finally {
            guarded.forEach(GuardedLeases::remove);
        }
    }

    private @Nullable Object notGranted(LockNotGrantedException failure) throws Throwable {
        try {
            return AcquisitionFailures.notGranted(this.call, this.held.nextLock(), failure);
        } catch (LockNotGrantedException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }
}
