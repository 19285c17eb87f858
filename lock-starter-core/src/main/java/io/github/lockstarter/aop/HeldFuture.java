package io.github.lockstarter.aop;

import io.github.lockstarter.LockLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of work that holds locks: completes after they were released. Cancelling it cancels the work, and releases
 * them soon after.
 */
final class HeldFuture<T> extends CompletableFuture<T> {

    private final CompletableFuture<?> work;

    /**
     * Creates the future.
     *
     * @param stage the work, of type T, says the method's signature
     * @param releases runs the end of work that ends after the method has returned
     * @param end releases the locks; tells a loss, or null
     */
    HeldFuture(CompletionStage<?> stage, Executor releases, Supplier<@Nullable LockLostException> end) {
        this.work = futureOf(stage);
        if (this.work.isDone()) {
            // Its caller has waited for Redis before, and may do so again.
            CompletableFuture<?> unused = this.work.whenComplete((result, failure) -> end(end, result, failure));
        } else {
            CompletableFuture<?> unused =
                    this.work.whenCompleteAsync((result, failure) -> end(end, result, failure), releases);
        }
    }

    @SuppressWarnings("unchecked")
    private void end(Supplier<@Nullable LockLostException> end, @Nullable Object result, @Nullable Throwable failure) {
        LockLostException loss;
        try {
            loss = end.get();
        } catch (RuntimeException | Error ex) {
            // Whatever a registry of the application's throws: somebody waits for this future.
            completeExceptionally(failure != null ? failure : ex);
            return;
        }
        if (failure != null) {
            HeldLeases.tellBeside(loss, failure);
            completeExceptionally(failure);
        } else if (loss != null) {
            completeExceptionally(loss);
        } else {
            complete((T) result);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        boolean unused = this.work.cancel(mayInterruptIfRunning);
        return cancelled;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the copy is what is left of it
    private static CompletableFuture<?> futureOf(CompletionStage<?> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException ex) {
            // A stage need not be able to.
            CompletableFuture<@Nullable Object> copy = new CompletableFuture<>();
            stage.whenComplete((result, failure) -> {
                if (failure != null) {
                    copy.completeExceptionally(failure);
                } else {
                    copy.complete(result);
                }
            });
            return copy;
        }
    }
}
