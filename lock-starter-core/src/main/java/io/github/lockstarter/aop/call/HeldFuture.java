package io.github.lockstarter.aop.call;

import io.github.lockstarter.LockLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of work that holds locks: completes after they were released. The locks are held until the work itself has
 * ended, whatever becomes of this future: cancelling a future stops no work, so releasing them on cancellation would let
 * the next owner in beside it. Nothing of this blocks the thread that completes the work, which may be the one that reads
 * the answers of Redis.
 */
final class HeldFuture<T> extends CompletableFuture<T> {

    /**
     * Creates the future.
     *
     * @param work of type T, as the method's signature says
     * @param release releases the locks without waiting; completes with a loss, or null
     */
    HeldFuture(CompletionStage<?> work, Supplier<CompletableFuture<@Nullable LockLostException>> release) {
        CompletionStage<?> unused = work.whenComplete((result, failure) -> {
            CompletableFuture<@Nullable LockLostException> released = release.get();
            CompletionStage<?> unusedToo =
                    released.whenComplete((loss, trouble) -> end(result, reported(failure, loss, trouble)));
        });
    }

    /** What the caller has to learn: the failure of the work comes before a loss, and both before trouble of ours. */
    private static @Nullable Throwable reported(
            @Nullable Throwable failure, @Nullable LockLostException loss, @Nullable Throwable trouble) {
        if (failure != null) {
            HeldLeases.tellBeside(loss, failure);
            return failure;
        }
        // A registry of the application may throw anything; this future must be completed in any case.
        return loss != null || trouble == null ? loss : unwrapped(trouble);
    }

    private static Throwable unwrapped(Throwable trouble) {
        Throwable cause = trouble.getCause();
        return trouble instanceof CompletionException && cause != null ? cause : trouble;
    }

    @SuppressWarnings("unchecked")
    private void end(@Nullable Object result, @Nullable Throwable failure) {
        if (failure != null) {
            completeExceptionally(failure);
        } else {
            complete((T) result);
        }
    }
}
