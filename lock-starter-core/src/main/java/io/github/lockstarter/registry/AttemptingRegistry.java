package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A registry that can send the attempts of one call together before the call acquires the locks one after the other.
 * {@link LockSequence} uses it; in any other registry, each lock takes a round trip. This is an interface, so that a
 * proxy of the registry has it too.
 */
public interface AttemptingRegistry extends LockRegistry {

    /**
     * Sends attempts for locks that will belong to the calling thread, and waits for their outcomes. A lock that the
     * thread holds needs no command, so the attempts end before it.
     *
     * @return the attempts, or {@code null} if fewer than two locks need a command or the locks must be acquired one
     *     after the other
     */
    @Nullable
    Attempts attempt(List<LockRequest> requests) throws InterruptedException;

    /**
     * Sends attempts for leases that belong to no thread, and waits for their outcomes.
     *
     * @return the attempts, or {@code null} if the locks must be acquired one after the other
     */
    @Nullable
    Attempts attemptLeases(List<LockRequest> requests) throws InterruptedException;

    /** Sends attempts for leases that belong to no thread, without waiting for their outcomes. */
    Attempts attemptLater(List<LockRequest> requests);

    /** Executes as {@link #execute(LockRequest, LockedCallback)} does, after the attempt if there was one. */
    <T extends @Nullable Object, E extends Throwable> T execute(
            LockRequest request, Attempts.@Nullable Attempt attempt, LockedCallback<T, E> body) throws E;

    /** Acquires as {@link #acquire(LockRequest)} does, after the attempt if there was one. */
    Lease acquire(LockRequest request, Attempts.@Nullable Attempt attempt) throws InterruptedException;

    /** Acquires as {@link #acquireAsync(LockRequest)} does, after the attempt if there was one. */
    CompletableFuture<Lease> acquireAsync(LockRequest request, Attempts.@Nullable Attempt attempt);
}
