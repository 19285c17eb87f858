package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method that returns a future. The calling thread waits for the locks and runs the method, as
 * without a future; the leases belong to no thread and end when the future does, in whatever thread that is.
 */
final class FutureCall {

    private final LockedInvocation call;

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean started;

    FutureCall(LockedInvocation call) {
        this.call = call;
    }

    boolean isStarted() {
        return this.started;
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.call.steps().get(this.leases.size());
    }

    @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // nullable type arguments; the caller gets the future
    @Nullable
    Object run() throws Throwable {
        Object returned;
        try {
            acquire();
            this.started = true;
            returned = LeaseContext.<@Nullable Object>call(
                    this.leases.get(this.leases.size() - 1), lease -> this.call.proceed());
        } catch (Throwable ex) {
            LockLostException loss = end();
            if (loss != null) {
                ex.addSuppressed(loss);
            }
            throw ex;
        }
        if (returned instanceof CompletionStage<?> stage) {
            return new Held<>(stage);
        }
        LockLostException loss = end();
        if (loss != null) {
            throw loss;
        }
        return returned;
    }

    private void acquire() throws InterruptedException {
        long began = System.nanoTime();
        for (int step = 0; step < this.call.steps().size(); step++) {
            this.leases.add(this.call.registry().acquire(this.call.request(step, began)));
        }
    }

    private @Nullable LockLostException end() {
        LockLostException first = null;
        for (int i = this.leases.size() - 1; i >= 0; i--) {
            LockLostException loss = HeldLeases.end(
                    this.leases.get(i), this.call.onLost(this.call.steps().get(i)));
            first = first != null ? first : loss;
        }
        return first;
    }

    /** Completes after the locks were released; cancelling it cancels the work and releases them. */
    private final class Held<T> extends CompletableFuture<T> {

        private final CompletableFuture<?> work;

        @SuppressWarnings("unchecked") // a stage of T, says the method's signature
        Held(CompletionStage<?> stage) {
            this.work = stage.toCompletableFuture();
            CompletableFuture<?> unused = this.work.whenComplete((result, failure) -> {
                LockLostException loss = end();
                if (failure == null && loss == null) {
                    complete((T) result);
                } else if (failure == null) {
                    completeExceptionally(loss);
                } else {
                    if (loss != null) {
                        failure.addSuppressed(loss);
                    }
                    completeExceptionally(failure);
                }
            });
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            boolean unused = this.work.cancel(mayInterruptIfRunning);
            return cancelled;
        }
    }
}
