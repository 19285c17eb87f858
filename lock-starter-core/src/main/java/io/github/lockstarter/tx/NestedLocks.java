package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs work of one thread under the locks of one call: acquires them, each nested in the one before, runs the work in the
 * innermost, and releases them together. All or none are granted. For one call, and used by its thread alone.
 *
 * @param <T> type of the result
 * @param <E> type of the exceptions of the work
 */
public final class NestedLocks<T extends @Nullable Object, E extends Throwable> {

    /** Requested by a nested hold that must not extend the lease. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    private final LockRegistry registry;

    private final LockSequence locks;

    private final Body<T, E> body;

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean released;

    /** The work. */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object, E extends Throwable> {

        /** Does the work under the leases of all locks, the innermost of which is the last. */
        T run(List<Lease> leases) throws E;
    }

    /**
     * Creates a call.
     *
     * @param registry grants the locks
     * @param locks at least one
     */
    public NestedLocks(LockRegistry registry, LockSequence locks, Body<T, E> body) {
        this.registry = registry;
        this.locks = locks;
        this.body = body;
    }

    /** Returns the number of locks that were granted. */
    public int granted() {
        return this.leases.size();
    }

    /** Returns whether the work was started. An exception of the work may look like that of a lock. */
    public boolean areAllGranted() {
        return granted() == this.locks.count();
    }

    /** Acquires the next lock and continues under it, recursively until the work is done. */
    public T run() throws E {
        boolean only = this.locks.count() == 1;
        LockRequest request = only ? this.locks.original(0) : this.locks.next(granted());
        return this.registry.<T, E>execute(request, lease -> {
            this.leases.add(lease);
            return only ? runBody() : continueUnderOneOfSeveral();
        });
    }

    private T continueUnderOneOfSeveral() throws E {
        T result;
        try {
            result = areAllGranted() ? runBody() : run();
        } catch (Throwable ex) {
            releaseTogether(ex);
            throw ex;
        }
        releaseTogether(null);
        return result;
    }

    private T runBody() throws E {
        this.locks.ensureHeld(this.leases);
        for (int i = 0; granted() > 1 && i < granted(); i++) {
            holdBeyondTheCall(i);
        }
        return this.body.run(this.leases);
    }

    /** Applies what lasts longer than the call only now: not for a call that is granted some of its locks. */
    private void holdBeyondTheCall(int index) {
        LockRequest request = this.locks.original(index);
        boolean bound = Boolean.TRUE.equals(request.releaseAfterTransaction()) && EnclosingTransaction.isActive();
        if (bound || !request.minHold().isZero()) {
            try {
                this.registry.executeWithoutResult(request.withLease(SHORTEST_LEASE), nested -> {});
            } catch (LockLostException ex) {
                if (this.locks.isGuarded(index)) {
                    throw ex;
                }
            }
        }
    }

    /**
     * Sends the releases of all locks before it waits for the first answer, so that a store that does not answer delays
     * the call by one command timeout and not by one for each lock. The holds end afterwards and have nothing to
     * release.
     *
     * @param failure the exception of the call; null if it has a result
     */
    private void releaseTogether(@Nullable Throwable failure) {
        if (this.released) {
            return;
        }
        this.released = true;
        List<CompletableFuture<?>> answers = new ArrayList<>(granted());
        for (int i = granted() - 1; i >= 0; i--) {
            if (isHeldOnlyByThisCall(this.locks.original(i))) {
                answers.add(this.leases.get(i).releaseAsync().toCompletableFuture());
            }
        }
        CompletableFuture<?> all = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        if (failure == null || areAllGranted()) {
            all.exceptionally(ex -> null).join();
        } else {
            this.locks.awaitRelease(all, failure, granted());
        }
    }

    /** Returns false if an outer call or an enclosing transaction holds the lock as well. */
    private boolean isHeldOnlyByThisCall(LockRequest request) {
        return HoldCounts.areAll(this.registry, request, mode -> ownHolds(request.lockName(), mode));
    }

    private int ownHolds(String lockName, LockMode mode) {
        int own = 0;
        for (int i = 0; i < granted(); i++) {
            LockRequest request = this.locks.original(i);
            own += request.mode() == mode && request.lockName().equals(lockName) ? 1 : 0;
        }
        return own;
    }
}
