package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method that returns a future. The calling thread waits for the locks and runs the method. The leases belong to
 * no thread and are released when the future is complete, by the thread that completes it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // futures are returned to the caller
final class FutureCall {

    private final LockedCall call;

    private final HeldLeases held;

    FutureCall(LockedCall call) {
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
            return CompletableFuture.failedFuture(this.call.undeclared(
                    this.held.count(),
                    ex,
                    "The calling thread waits for the lock of a future; LockRegistry.acquireAsync waits without a"
                            + " thread."));
        }
    }

    private @Nullable Object runUnderLocks() throws Throwable {
        Object returned;
        try {
            while (!this.held.areAllGranted()) {
                this.held.add(this.call.registry().acquire(this.held.nextRequest()));
            }
            returned = this.held.proceed();
            if (returned instanceof CompletionStage<?> stage) {
                return completedAfterRelease(stage);
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

    private @Nullable Object notGranted(LockNotGrantedException failure) throws Throwable {
        try {
            return this.call.notGranted(this.held.count(), failure);
        } catch (LockNotGrantedException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /**
     * Returns a future of work that holds the locks. It completes after their release, and they are held until the work
     * itself has ended: cancelling this future does not stop the work, so a release on cancellation would admit the next owner
     * too early. Nothing here blocks the thread that completes the work, which may be the one that reads the store's answers.
     */
    private CompletableFuture<@Nullable Object> completedAfterRelease(CompletionStage<?> work) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        CompletionStage<?> unused = work.whenComplete((value, failure) -> {
            CompletionStage<?> unusedToo = this.held.release().whenComplete((loss, releaseFailure) -> {
                Throwable reported = reported(failure, loss, releaseFailure);
                boolean unusedResult =
                        reported != null ? result.completeExceptionally(reported) : result.complete(value);
            });
        });
        return result;
    }

    /** Returns the failure of the work, else the loss of a lock, else the failure of the release; null for none. */
    private static @Nullable Throwable reported(
            @Nullable Throwable failure, @Nullable LockLostException loss, @Nullable Throwable releaseFailure) {
        if (failure != null) {
            HeldLeases.addLoss(loss, failure);
            return failure;
        }
        // A registry of the application may throw anything; this future must complete in any case.
        return loss != null || releaseFailure == null ? loss : HeldLeases.unwrapped(releaseFailure);
    }
}
