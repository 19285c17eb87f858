package io.github.lockstarter.aop;

import io.github.lockstarter.LockLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of work that holds locks. It completes after the release of the locks, which are held until the work
 * itself has ended: cancelling this future does not stop the work, so a release on cancellation would admit the next
 * owner too early. Nothing here blocks the thread that completes the work, which may be the one that reads the store's
 * answers.
 */
final class HeldFuture<T> extends CompletableFuture<T> {

    /**
     * Creates the future.
     *
     * @param work has a result of type T, as the method declares
     * @param release releases the locks without blocking; completes with the loss of a lock, or with null
     */
    HeldFuture(CompletionStage<?> work, Supplier<CompletableFuture<@Nullable LockLostException>> release) {
        CompletionStage<?> unused = work.whenComplete((result, failure) -> {
            CompletableFuture<@Nullable LockLostException> released = release.get();
            CompletionStage<?> unusedToo = released.whenComplete(
                    (loss, releaseFailure) -> end(result, reported(failure, loss, releaseFailure)));
        });
    }

    /** Returns the failure of the work, else the loss of a lock, else the failure of the release; null for none. */
    private static @Nullable Throwable reported(
            @Nullable Throwable failure, @Nullable LockLostException loss, @Nullable Throwable releaseFailure) {
        if (failure != null) {
            HeldLeases.addLoss(loss, failure);
            return failure;
        }
        // A registry of the application may throw anything; this future must complete in any case.
        return loss != null || releaseFailure == null ? loss : unwrapped(releaseFailure);
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
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
